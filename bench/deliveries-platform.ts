import { setTimeout as delay } from 'node:timers/promises'
import { atoEvents } from '../src/extensions/ato/events.ts'
import { addPlugin } from '../src/extensions/plugins/plugins.ts'
import { openLog } from '../src/operations/platform/log.ts'
import { startPlatform } from '../src/operations/platform/platform.ts'
import { benchConfig, prepareUser, type StartedServer, type Usage } from './servers.ts'

/** A complete platform in its own process. It emits events when it gets an `Emission` message. */
export interface StartedPlatform extends StartedServer {
  readonly plugins: { readonly live: number; readonly dead: number }
}

export interface Emission {
  readonly plugin: number
  readonly count: number
  /** Events per transaction. */
  readonly together: number
  /** Events per second; unlimited by default. */
  readonly perSecond?: number
  readonly requests: number
}

/** Commit time of each event, in milliseconds since 1970. */
export type CommitTimes = readonly number[]

const config = benchConfig({ PORT: '0', SANDBOX_PORT: '0' })
const [connection, organisationId] = process.argv.slice(2)
const platform = await startPlatform(config, JSON.parse(connection!), openLog(config), () => new Date())
const environment = platform.environments[0]!

async function addHelper(key: string): Promise<number> {
  const who = { at: new Date(), requestId: 'bench', address: '127.0.0.1' }
  const what = { kind: 'ato', key, name: key, description: '', ownerId: undefined, redirectUris: [] } as const
  const { pluginId } = await environment.db.transaction((tx) =>
    addPlugin(tx, who, { ...what, organisationId: Number(organisationId) }, environment),
  )
  return pluginId
}

async function emit({ plugin, count, together, perSecond, requests }: Emission): Promise<CommitTimes> {
  const committed: number[] = []
  const startedMs = performance.now()
  const emitSome = async (first: number) => {
    const events = Array.from({ length: Math.min(together, count - first) }, (_, i) => {
      const n = first + i
      const document = { requestId: `bench-${n % requests}`, distributions: [], n }
      const subject = `request:${n % requests}`
      return { kind: 'distributions.changed', subject, payload: { plugin, document }, at: new Date() } as const
    })
    await environment.db.transaction((tx) => atoEvents.emit(tx, ...events))
    for (const { payload } of events) committed[payload.document.n] = performance.timeOrigin + performance.now()
  }
  const emitting: Promise<void>[] = []
  for (let first = 0; first < count; first += together) {
    const waitMs = perSecond === undefined ? 0 : (first / perSecond) * 1000 - (performance.now() - startedMs)
    if (waitMs > 0) await delay(waitMs)
    if (perSecond === undefined) await emitSome(first)
    else emitting.push(emitSome(first))
  }
  await Promise.all(emitting)
  return committed
}

process.send!({
  port: Number(new URL(platform.addresses.production).port),
  headers: { authorization: `Bearer ${await prepareUser(environment)}` },
  plugins: { live: await addHelper('live'), dead: await addHelper('dead') },
  execArgv: process.execArgv,
} satisfies StartedPlatform & { execArgv: string[] })
process.on('disconnect', () => process.exit())
process.on('message', async (asked: 'usage' | Emission) => {
  const usage: Usage = { cpu: process.cpuUsage(), rss: process.memoryUsage.rss() }
  process.send?.(asked === 'usage' ? usage : await emit(asked))
})
