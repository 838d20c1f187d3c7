#!/usr/bin/env node
// Plain JavaScript for any Node version: the platform needs Node 24, which the install includes, but the machine's own
// Node may be older.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
/**
 * Makes V8 collect garbage later when the platform itself runs, which is faster (figures in docs/benchmarks.md). Other
 * commands do not use it.
 */
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

/**
 * Replaces this process with another Node, so that a supervisor watches one process. If that is impossible, a child
 * does the work.
 */
function become(node) {
  const line = [...flags, fileURLToPath(main), ...args]
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...line], process.env)
  else runChild(node, line)
}

/** Runs a child with the same terminal, signals and exit code. */
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
