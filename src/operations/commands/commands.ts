import { app } from './app.ts'
import { backup } from './backup.ts'
import { credential } from './credential.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { importCommand } from './import.ts'
import { key } from './key.ts'
import { keys } from './keys.ts'
import { runCommandLine } from './line.ts'
import { migrate } from './migrate.ts'
import { packageCommands } from './package.ts'
import { restore } from './restore.ts'
import { roster } from './roster.ts'
import { start } from './start.ts'
import { statements } from './statements.ts'
import { status } from './status.ts'
import { user } from './user.ts'

/** All commands, in the order in which the help lists them. */
export const commands = {
  start,
  status,
  doctor,
  migrate,
  import: importCommand,
  roster,
  package: packageCommands,
  user,
  app,
  credential,
  statements,
  key,
  keys,
  demo,
  backup,
  restore,
}

/** Runs a command line, such as `['user', 'list']`, and returns the exit code. */
export const runGroundschool = (args: readonly string[]): Promise<number> => runCommandLine(args, commands)
