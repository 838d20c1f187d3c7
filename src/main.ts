#!/usr/bin/env node
import { app } from './commands/app.ts'
import { backup } from './commands/backup.ts'
import { importCommand } from './commands/import.ts'
import { runCommandLine } from './commands/line.ts'
import { migrate } from './commands/migrate.ts'
import { restore } from './commands/restore.ts'
import { start } from './commands/start.ts'
import { user } from './commands/user.ts'

/** The command line: every command, in the order in which the help lists them. */
const COMMANDS = { start, migrate, import: importCommand, user, app, backup, restore }

process.exit(await runCommandLine(process.argv.slice(2), COMMANDS))
