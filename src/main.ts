#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Caches compiled code, so that later starts take half the time and need not load the compiler. The cache is in a
// folder of the installation: in a shared folder, other users could replace the code.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/groundschool', import.meta.url)))
const { runCommandLine } = await import('./operations/commands/line.ts')
const load = async () => {
  const { commands } = await import('./operations/commands/commands.ts')
  flushCompileCache()
  return commands
}

// A reader of our output, such as `head`, may close the pipe early. Ignore the resulting write errors.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exit(await runCommandLine(process.argv.slice(2), load))
