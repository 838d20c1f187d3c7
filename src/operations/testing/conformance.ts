import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readConfig } from '../../kernel/config.ts'
import { addCredential } from '../../records/credentials/managing.ts'
import { openLog } from '../platform/log.ts'
import { migrateAll, openServer, startPlatform } from '../platform/platform.ts'

const print = (text: string) => process.stdout.write(`${text}\n`)

const HELP = `Runs ADL's LRS conformance suite against a platform of its own, both versions on one endpoint.

  npm run conformance -- FOLDER [--version 1.0.3|2.0.0] [--grep TEXT]

FOLDER is a clone of adlnet/lrs-conformance-test-suite in which npm install was run.
Nothing is fetched, and nothing of the suite is part of this project.`

const VERSIONS: Readonly<Record<string, string>> = { '1.0.3': '1.0.3', '2.0.0': '2.0.0' }
const UNLIMITED = '1000000'

const [folder, ...rest] = process.argv.slice(2)
const option = (name: string): string | undefined => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : undefined)
const runner = resolve(folder ?? '.', 'bin/console_runner.js')
if (!folder || folder === '--help' || !existsSync(runner)) {
  print(folder && folder !== '--help' ? `There is no suite in ${folder}.\n\n${HELP}` : HELP)
  process.exit(folder === '--help' ? 0 : 2)
}

const dataDir = mkdtempSync(join(tmpdir(), 'groundschool-conformance-'))
const config = readConfig({
  DATA_DIR: dataDir,
  PORT: '0',
  SANDBOX_PORT: '0',
  LOG_LEVEL: 'warn',
  SECRET_KEY: Buffer.alloc(32, 1).toString('base64url'),
  RATE_TOKEN_PER_SECOND: UNLIMITED,
  RATE_TOKEN_BURST: UNLIMITED,
  RATE_ADDRESS_PER_SECOND: UNLIMITED,
  RATE_ADDRESS_BURST: UNLIMITED,
})
const log = openLog(config)
const database = await openServer(config, log)
await migrateAll(database.connection)
const platform = await startPlatform(config, database.connection, log, () => new Date())
const environment = platform.environments[0]!
const caller = { at: new Date(), requestId: 'conformance', address: '127.0.0.1' }
const { key, secret } = await addCredential(
  environment.db,
  caller,
  { name: 'Conformance', scopes: ['all'] },
  environment,
)

interface Node {
  readonly title?: string
  readonly status?: string
  readonly error?: string
  readonly tests?: readonly Node[]
}

/** Lists the titles and errors of the failed tests. */
const listFailures = ({ title = '', status, error, tests = [] }: Node): string[] =>
  tests.length > 0 ? tests.flatMap(listFailures) : status === 'failed' ? [`${title}\n    ${error ?? ''}`] : []

async function run(version: string): Promise<boolean> {
  const grep = option('--grep')
  const endpoint = `${platform.addresses.production}/xapi`
  const args = [
    runner,
    '-x',
    version,
    '-e',
    endpoint,
    '-a',
    '-u',
    key,
    '-p',
    secret,
    '-z',
    ...(grep ? ['-g', grep] : []),
  ]
  const child = spawn(process.execPath, args, { cwd: resolve(folder!), stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', (piece) => (output += piece))
  await new Promise((done) => child.on('close', done))
  const summaries = output.match(/^\{"total".*\}$/gm) ?? []
  const file = /written to (.*)$/m.exec(output)?.[1]
  const { total, passed, failed } = JSON.parse(summaries.at(-1) ?? '{}')
  print(`xAPI ${version}: ${passed} of ${total} pass, ${failed} fail (${/completed in ([\d.]+)/.exec(output)?.[1]} s)`)
  if (file) for (const failure of listFailures(JSON.parse(readFileSync(file, 'utf8')).log ?? {})) print(`  ${failure}`)
  return total > 0 && failed === 0 && passed === total
}

const wanted = option('--version')
const outcomes: boolean[] = []
for (const version of Object.keys(VERSIONS))
  if (!wanted || wanted === version) outcomes.push(await run(VERSIONS[version]!))
await platform.stop()
await database.stop()
rmSync(dataDir, { recursive: true, force: true })
process.exitCode = outcomes.every(Boolean) ? 0 : 1
