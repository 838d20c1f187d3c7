#!/usr/bin/env node
// Plain JavaScript of any Node: the platform needs Node 24, which the install brings along, and the machine's own may be older.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
/** V8 of the platform itself collects garbage later, which is quicker; docs/benchmarks.md has the figures. Other commands do without. */
const START_FLAGS = ['--max-semi-space-size=8', '--heap-growing-percent=150']

const main = new URL('../src/main.ts', import.meta.url)
const bundled = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
const args = process.argv.slice(2)
const flags = args[0] === 'start' ? START_FLAGS : []
const isNewEnough = Number.parseInt(process.versions.node, 10) >= NEEDED

if (isNewEnough && flags.length === 0) await import(main.href)
else if (isNewEnough) become(process.execPath)
else if (existsSync(bundled)) become(bundled)
else {
  process.stderr.write(
    `Groundschool needs Node ${NEEDED}, and this is ${process.version}: run npm ci in ${fileURLToPath(new URL('..', import.meta.url))}, which brings it, or use a newer Node\n`,
  )
  process.exitCode = 1
}

/** The same process goes on as another Node, so that a supervisor has one process to watch; where that is not possible, a child does the work. */
function become(node) {
  const line = [...flags, fileURLToPath(main), ...args]
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...line], process.env)
  else runChild(node, line)
}

/** As if it had been started so: the same terminal, signals and exit code. */
function runChild(node, line) {
  const child = spawn(node, line, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1
    if (signal === null) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
