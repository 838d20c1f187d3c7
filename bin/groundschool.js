#!/usr/bin/env node
// Plain JavaScript of any Node: the platform needs Node 24, which the install brings along, and the machine's own may be older.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
const main = new URL('../src/main.ts', import.meta.url)
const bundled = fileURLToPath(new URL('../node_modules/.bin/node', import.meta.url))

if (Number.parseInt(process.versions.node, 10) >= NEEDED) await import(main.href)
else if (existsSync(bundled)) runWith(bundled)
else {
  process.stderr.write(
    `Groundschool needs Node ${NEEDED}, and this is ${process.version}: run npm ci in ${fileURLToPath(new URL('..', import.meta.url))}, which brings it, or use a newer Node\n`,
  )
  process.exitCode = 1
}

/** As if it had been started so: the same terminal, signals and exit code. */
function runWith(node) {
  const child = spawn(node, [fileURLToPath(main), ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1
    if (signal === null) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}
