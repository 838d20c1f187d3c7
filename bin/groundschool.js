#!/usr/bin/env node
// This file is plain JavaScript, because the machine's own Node, which starts it, may be old. It then runs the platform
// with the Node that npm ci has installed.
import { spawn, spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { START_FLAGS } from './start-flags.js'

const main = new URL('../src/main.ts', import.meta.url)
const bundled = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))
const args = process.argv.slice(2)
const flags = args[0] === 'start' ? START_FLAGS : []

if (isBundled()) await runHere()
else if (spawnSync(bundled, ['--version']).status === 0) become(bundled)
else if (isNewEnough()) {
  if (args[0] === 'start')
    process.stderr.write(`This is Node ${process.version} of the machine: the tested one is missing\n`)
  await runHere()
} else {
  process.stderr.write(
    `Groundschool needs Node 24.7 or later, and this is ${process.version}: run npm ci in ${fileURLToPath(new URL('..', import.meta.url))}, which brings it, or use a newer Node\n`,
  )
  process.exitCode = 1
}

function isBundled() {
  try {
    return realpathSync(bundled) === realpathSync(process.execPath)
  } catch {
    return false
  }
}

/** Tells whether this Node is 24.7 or later, the first version with argon2 in node:crypto. */
function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 7)
}

async function runHere() {
  if (flags.length === 0) await import(main.href)
  else become(process.execPath)
}

/**
 * Replaces this process by `node`, so that a supervisor has only one process to watch. Where that is impossible, starts
 * a child process instead.
 */
function become(node) {
  const line = [...flags, fileURLToPath(main), ...args]
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...line], process.env)
  else runChild(node, line)
}

/** Runs `node` as a child process with the same terminal, and passes on signals and the exit code. */
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
