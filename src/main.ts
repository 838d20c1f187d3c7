#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Later starts reuse the code that the first one compiled: they take half the time, and do not load the compiler. The
// cache is in a folder of our own, because another user could write to a shared one.
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/groundschool', import.meta.url)))
const { runCommandLine } = await import('./operations/commands/line.ts')
const load = async () => {
  const { commands } = await import('./operations/commands/commands.ts')
  flushCompileCache()
  return commands
}

// A reader such as `head` may close our output early.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exit(await runCommandLine(process.argv.slice(2), load))
