import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const SIGNALS = fileURLToPath(new URL('signals.ts', import.meta.url))

/** Program that waits for a stop signal, as `start` does. */
const SCRIPT = `
  const { catchSignals } = await import(${JSON.stringify(SIGNALS)})
  const signals = catchSignals()
  console.log(process.pid)
  const alive = setInterval(() => {}, 1000)
  await signals.asked
  console.log('asked')
  clearInterval(alive)`

const startInShell = (environment: Record<string, string>) => {
  // A second command keeps the shell from replacing itself with the first command, as npm's shell behaves.
  const command = `"${process.execPath}" --input-type=module -e '${SCRIPT.replaceAll("'", '"')}'; true`
  return spawn('/bin/sh', ['-c', command], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

test('a process that npm started stops when a SIGTERM has ended the shell between them', async () => {
  const shell = startInShell({ npm_lifecycle_event: 'start' })
  shell.stdout.setEncoding('utf8')
  const [pid] = (await once(shell.stdout, 'data')) as [string]
  shell.kill('SIGTERM')
  const [said] = (await once(shell.stdout, 'data', { signal: AbortSignal.timeout(5_000) })) as [string]
  assert.equal(said, 'asked\n')
  assert.ok(Number(pid) > 0)
})

test('a process that npm did not start goes on without its shell', async (t) => {
  const shell = startInShell({})
  shell.stdout.setEncoding('utf8')
  const [pid] = (await once(shell.stdout, 'data')) as [string]
  t.after(() => process.kill(Number(pid), 'SIGKILL'))
  shell.kill('SIGTERM')
  await assert.rejects(once(shell.stdout, 'data', { signal: AbortSignal.timeout(1_500) }), { name: 'AbortError' })
  assert.equal(process.kill(Number(pid), 0), true)
})
