import { readFileSync } from 'node:fs'
import { PlatformError, StartupError } from '../../kernel/errors.ts'
import {
  type Command,
  type CommandGroup,
  describeGroup,
  isGroup,
  layOut,
  print,
  runCommand,
  tell,
  UsageError,
} from './command.ts'

type Commands = Readonly<Record<string, Command | CommandGroup>>

const VERSION_WORDS = new Set(['version', '--version', '-v'])
const HELP_WORDS = new Set(['help', '--help', '-h'])

/** Runs the command line and returns the exit code: 0 if it succeeded, 1 if it failed, 2 if it was not understood. */
export async function runCommandLine(args: readonly string[], commands: Commands): Promise<number> {
  let path = ''
  try {
    const [name, ...rest] = args
    if (name !== undefined && VERSION_WORDS.has(name)) {
      print(`groundschool ${readVersion()}`)
      return 0
    }
    if (name === undefined || (HELP_WORDS.has(name) && rest.length === 0)) {
      print(describeAll(commands))
      return name === undefined ? 2 : 0
    }
    const [asked, ...others] = HELP_WORDS.has(name) ? [...rest, '--help'] : args
    const entry = find(commands, asked!)
    path = asked!
    if (!isGroup(entry)) {
      await runCommand(path, entry, others)
      return 0
    }
    const [verb, ...more] = others
    if (verb === undefined || HELP_WORDS.has(verb)) {
      print(describeGroup(path, entry))
      return verb === undefined ? 2 : 0
    }
    const inner = find(entry.verbs, verb, `${path} `)
    path = `${path} ${verb}`
    await runCommand(path, inner as Command, more)
    return 0
  } catch (problem) {
    return explain(problem, path)
  }
}

const readVersion = (): string =>
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')).version

function find(commands: Commands, name: string, before = ''): Command | CommandGroup {
  if (Object.hasOwn(commands, name)) return commands[name]!
  throw new UsageError(`There is no command '${before}${name}'. The commands are ${Object.keys(commands).join(', ')}`)
}

function explain(problem: unknown, path: string): number {
  if (problem instanceof UsageError) {
    tell(`${problem.message}. See: npx groundschool ${path ? `${path} ` : ''}--help`)
    return 2
  }
  if (problem instanceof StartupError || problem instanceof PlatformError) tell(problem.message)
  else tell(`This is a bug in Groundschool: ${(problem as Error)?.stack ?? problem}`)
  return 1
}

function describeAll(commands: Commands): string {
  const rows = Object.entries(commands).map(([name, { about }]): [string, string] => [name, about])
  return [
    'Usage: npx groundschool <command> [options]',
    '',
    ...layOut([...rows, ['help', 'Show this list, or the help of a command: npx groundschool help import.']]),
    '',
    'npx groundschool <command> --help shows the options of a command, npx groundschool --version the version.',
    'Run it in the folder of the clone.',
  ].join('\n')
}
