#!/usr/bin/env node
// This file is plain JavaScript, because the machine's own Node, which starts it, may be old. It then runs the platform
// with the Node that npm ci has installed.
import { spawn, spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { BUNDLE, CACHE, isBundled } from './bundled.js'
import { START_ENV, START_FLAGS } from './start-flags.js'

const pathOf = (file) => fileURLToPath(new URL(file, import.meta.url))
const installed = pathOf('../node_modules/.bin/node')
const args = process.argv.slice(2)
const isStart = args[0] === 'start'
const flags = isStart ? START_FLAGS : []

if (isInstalled()) await runHere()
else if (spawnSync(installed, ['--version']).status === 0) become(installed)
else if (isNewEnough()) {
  if (isStart) process.stderr.write(`This is Node ${process.version} of the machine: the tested one is missing\n`)
  await runHere()
} else {
  process.stderr.write(
    `Groundschool needs Node 24.7 or later, and this is ${process.version}: run npm ci in ${pathOf('..')}, which brings it, or use a newer Node\n`,
  )
  process.exitCode = 1
}

function isInstalled() {
  try {
    return realpathSync(installed) === realpathSync(process.execPath)
  } catch {
    return false
  }
}

/** Tells whether this Node is 24.7 or later, the first version with argon2 in node:crypto. */
function isNewEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 7)
}

/**
 * Returns the program to run: the bundle, or the sources if they have changed since. `start` then makes the bundle
 * first. That fails without development dependencies and in a folder that is not writable.
 */
function findProgram(node) {
  const canBundle = () => isStart && spawnSync(node, [pathOf('bundle.ts')], { stdio: 'ignore' }).status === 0
  return isBundled() || canBundle() ? BUNDLE : pathOf('../src/main.ts')
}

async function runHere() {
  if (flags.length > 0) return become(process.execPath)
  // Later commands load the compiled code, which takes half the time.
  module.enableCompileCache(CACHE)
  await import(pathToFileURL(findProgram(process.execPath)).href)
}

/**
 * Replaces this process by `node`, so that a supervisor has only one process to watch. Where that is impossible, starts
 * a child process instead.
 */
function become(node) {
  const line = [...flags, findProgram(node), ...args]
  const env = { ...(isStart && START_ENV), ...process.env, NODE_COMPILE_CACHE: CACHE }
  if (process.execve && process.platform !== 'win32') process.execve(node, [node, ...line], env)
  else runChild(node, line, env)
}

/** Runs `node` as a child process with the same terminal, and passes on signals and the exit code. */
function runChild(node, line, env) {
  const child = spawn(node, line, { stdio: 'inherit', env })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1
    if (signal === null) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
