#!/usr/bin/env node
import { commands } from './commands/commands.ts'
import { runCommandLine } from './commands/line.ts'

// Whoever reads our output may stop reading, such as `head`.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

process.exit(await runCommandLine(process.argv.slice(2), commands))
