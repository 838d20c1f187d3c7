import { buildWhereStale } from '../../../web/built.ts'
import { type Config, readConfig } from '../../kernel/config.ts'
import { findBuild } from '../../kernel/http/pages/web-app.ts'
import { keepAddress } from '../../kernel/installation/installation.ts'
import { hasDemoPeople } from '../demo/demo.ts'
import { openLog } from '../platform/log.ts'
import type { Platform, RunningDatabase } from '../platform/platform.ts'
import { migrateAll, openServer, prepareServers, startPlatform } from '../platform/platform.ts'
import { makeBanner, publicAddresses } from './banner.ts'
import { checkDataDir, checkPorts } from './checks.ts'
import { command } from './command.ts'
import { hasDatabase } from './database.ts'
import { prepareDemo, settleDemo } from './demo.ts'
import { catchSignals } from './signals.ts'

/** Time for closing everything, in addition to the time that running requests get. */
const CLOSING_MS = 2_000
/** Time after which the first background work of a new process has ended. */
const SETTLED_MS = 2_000

export const start = command({
  about: 'Start the platform, production and sandbox, with an embedded database unless DATABASE_URL is set.',
  args: [],
  options: {},
  notes: 'Settings are environment variables, or lines of the file in CONFIG_FILE. docs/configuration.md lists them.',
  examples: ['start', 'start   # with PORT=8080 SANDBOX_PORT=8081 in the environment'],
  run: async () => {
    const config = readConfig()
    await check(config)
    const signals = catchSignals()
    const log = openLog(config)
    const startedAt = performance.now()
    const isNew = !hasDatabase(config)
    const [opened, prepared] = await Promise.allSettled([openServer(config, log), prepare(config, isNew)])
    if (opened.status === 'rejected') throw opened.reason
    const server = opened.value
    let platform: Platform | undefined
    try {
      if (prepared.status === 'rejected') throw prepared.reason
      await migrateAll(server.connection)
      await settleDemo(config, server.connection, log, prepared.value)
      platform = await startPlatform(config, server.connection, log, () => new Date())
    } catch (problem) {
      await server.stop()
      throw problem
    }
    if (!signals.isAsked()) {
      const [production] = platform.environments
      const addresses = publicAddresses(config, platform.addresses)
      for (const { contentUrl, log: own } of platform.environments)
        if (contentUrl === undefined) own.warn(NO_CONTENT_URL)
      for (const { db, name } of platform.environments)
        await keepAddress(db, { address: addresses[name], listening: platform.addresses[name] })
      log.info({ ...addresses, startMs: Math.round(performance.now() - startedAt) }, 'the platform is ready')
      // Standard output is for the log, with one JSON object per line. The banner is only printed to a terminal.
      const terminal = [process.stdout, process.stderr].find(({ isTTY }) => isTTY)
      terminal?.write(makeBanner(addresses, await hasDemoPeople(production!.db)))
      setTimeout(returnMemory, SETTLED_MS).unref()
    }
    await signals.asked
    platform.leave()
    await new Promise((resolve) => setTimeout(resolve, config.DRAIN_SECONDS * 1000))
    await stop(config, platform, server)
    log.info('the platform has stopped')
  },
})

const NO_CONTENT_URL =
  'CONTENT_URL or SANDBOX_CONTENT_URL is not set: files and packages can be neither uploaded nor opened here'

/** Throws if DATA_DIR or a port cannot be used, before anything is started. */
async function check(config: Config): Promise<void> {
  if (!config.DATABASE_URL || !config.SECRET_KEY || config.MESSAGES === 'file') checkDataDir(config)
  await checkPorts(config)
}

/** Does what needs no database, while the database starts or is created. Returns the demo data, if it may be due. */
async function prepare(config: Config, isNew: boolean): ReturnType<typeof prepareDemo> {
  // First, because it often yields: the database process should start before the rest, which does not.
  await prepareServers()
  await buildPages()
  findBuild()
  return prepareDemo(config, isNew)
}

/**
 * Builds the web pages if needed, and prints a line about it to standard error, because standard output is for the log.
 */
async function buildPages(): Promise<void> {
  const say = (text: string) => process.stderr.write(text)
  const built = await buildWhereStale(() => say('Building the pages, which takes a few seconds … '))
  if (built.kind === 'built') say(`done in ${(built.ms / 1000).toFixed(1)} s\n`)
  if (built.kind === 'failed')
    say(
      `failed; ${built.hasOlder ? 'an earlier build is served' : 'there are no pages, but everything else works'}:\n${built.why}\n`,
    )
}

/**
 * Returns the memory that only the start needed to the system, once: V8 itself would keep it until the heap has grown.
 * Requests wait meanwhile, for about a tenth of a second.
 */
const returnMemory = (): void => globalThis.gc?.({ type: 'major', flavor: 'last-resort', execution: 'sync' })

/**
 * Stops the platform within a time limit. Anything still running then ends with the process. The embedded database
 * notices the end of the process and stops itself.
 */
async function stop(config: Config, platform: Platform, server: RunningDatabase): Promise<void> {
  const limitMs = config.STOP_SECONDS * 1000 + CLOSING_MS
  const limit = new Promise<void>((resolve) => setTimeout(resolve, limitMs).unref())
  await Promise.race([platform.stop().finally(() => server.stop()), limit])
}
