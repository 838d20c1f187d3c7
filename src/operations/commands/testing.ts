import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { giveBack, takeDatabase } from '../testing/databases.ts'
import { databaseUrl } from '../testing/machine.ts'
import { findFreePort } from '../testing/ports.ts'
import { atProcessEnd } from '../testing/process-end.ts'
import { Client } from '../testing/testing.ts'

export const MAIN = fileURLToPath(new URL('../../../bin/groundschool.js', import.meta.url))
export const place = mkdtempSync(join(tmpdir(), 'groundschool-commands-'))
// Under root, the database runs as another user, which could not enter a folder that only root may read.
chmodSync(place, 0o755)
const children = new Set<ChildProcess>()
atProcessEnd(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(place, { recursive: true, force: true, maxRetries: 10 })
})

export type Settings = Record<string, string>

const COMMAND_TIMEOUT_MS = 120_000

export function launch(args: string[], settings: Settings, program = [MAIN]) {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const env = { PATH, HOME, NODE_COMPILE_CACHE, ...settings }
  const child = spawn(process.execPath, [...program, ...args], { env, stdio: ['pipe', 'pipe', 'pipe'] })
  children.add(child)
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.err += text
  })
  const ended = once(child, 'close').then(([code]) => {
    children.delete(child)
    return { code: code as number, ...output }
  })
  return { child, output, ended }
}

export async function run(args: string[], settings: Settings = {}, input = '', program = [MAIN]) {
  const { child, ended } = launch(args, settings, program)
  child.stdin.end(input)
  return ended
}

interface Line {
  readonly args: readonly string[]
  readonly settings?: Settings
  readonly input?: string
}

/** Program that reads command lines as JSON, runs them, and reports the exit code of each. */
const SHELL = `
  const { createInterface } = await import('node:readline')
  const { Readable } = await import('node:stream')
  const { runGroundschool } = await import(${JSON.stringify(new URL('commands.ts', import.meta.url))})
  const env = { ...process.env }
  for await (const line of createInterface({ input: process.stdin })) {
    const { args, settings, input = '' } = JSON.parse(line)
    process.env = { ...env, ...settings }
    Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([Buffer.from(input)]) })
    const code = await runGroundschool(args)
    process.stdout.write('\\0' + code + '\\0')
    process.stderr.write('\\0')
  }`
let shell: ReturnType<typeof launch> | undefined

/** Runs several command lines in one process, because each process takes a second to load. */
export async function runAll(lines: readonly Line[]) {
  shell ??= launch(['--input-type=module', '-e', SHELL], {}, [])
  const { child, output } = shell
  const results = []
  for (const line of lines) {
    Object.assign(output, { out: '', err: '' })
    child.stdin.write(`${JSON.stringify(line)}\n`)
    const deadlineMs = performance.now() + COMMAND_TIMEOUT_MS
    while (!/\0\d\0$/.test(output.out) || !output.err.endsWith('\0')) {
      assert.equal(child.exitCode, null, output.err)
      assert.ok(performance.now() < deadlineMs, `${line.args.join(' ')} did not end: ${output.out}${output.err}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const [out = '', code] = output.out.split('\0')
    results.push({ ...line, code: Number(code), out, err: output.err.slice(0, -1) })
  }
  return results
}

export const runOne = async (args: readonly string[], settings: Settings = {}, input = '') =>
  (await runAll([{ args, settings, input }]))[0]!

export async function startIn(dataDir: string, more: Settings = {}) {
  const [PORT, SANDBOX_PORT] = [String(await findFreePort()), String(await findFreePort())]
  const settings = { DATA_DIR: dataDir, PORT, SANDBOX_PORT, ...more }
  const startedAt = performance.now()
  const { child, output, ended } = launch(['start'], settings)
  while (!output.out.includes('the platform is ready')) {
    assert.equal(child.exitCode, null, output.err)
    assert.ok(performance.now() - startedAt < 60_000, 'it did not start')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    settings,
    child,
    output,
    ended,
    production: new Client(`http://localhost:${PORT}`),
    sandbox: new Client(`http://localhost:${SANDBOX_PORT}`),
  }
}

export const signIn = async (client: Client, clientId: string, credentials: string): Promise<Client> => {
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`
  const answer = await client.get('/auth/basic', undefined, { authorization, clientid: clientId })
  assert.equal(answer.status, 200, answer.text)
  return new Client(client.address, answer.headers.get('access_token')!)
}

/** Returns the command lines of all processes that mention a directory; an empty list if the system has no /proc. */
export const processesIn = (directory: string): string[] =>
  !existsSync('/proc')
    ? []
    : readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => {
          try {
            return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
          } catch {
            return ''
          }
        })
        .filter((command) => command.includes(directory))

/** Takes a database of the test suite and returns settings to use it like an operator's own PostgreSQL. */
export async function ownDatabase(): Promise<{ settings: Settings; drop(): Promise<unknown> }> {
  const connection = await takeDatabase()
  return {
    settings: { DATABASE_URL: databaseUrl(connection), SECRET_KEY: Buffer.alloc(32, 'commands').toString('base64url') },
    drop: () => giveBack(connection),
  }
}
