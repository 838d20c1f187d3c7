import { type ParseArgsOptionDescriptor, parseArgs, styleText } from 'node:util'

interface Option extends ParseArgsOptionDescriptor {
  readonly about: string
  /** Placeholder for the value in the help text, such as `TEXT` in `--name TEXT`. */
  readonly value?: string
}
type Options = Readonly<Record<string, Option>>

type ValueOf<O extends Option> = O['type'] extends 'boolean'
  ? boolean
  : O extends { multiple: true }
    ? string[]
    : string
type Values<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { default: unknown } ? ValueOf<O[K]> : ValueOf<O[K]> | undefined
}

export interface Command<O extends Options = Options> {
  readonly about: string
  /** Names of the arguments, such as `['FILE']`. All of them are required. */
  readonly args: readonly string[]
  readonly options: O
  readonly examples: readonly string[]
  /** Additional notes for the help text. */
  readonly notes?: string
  run(args: readonly string[], values: Values<O>): Promise<void>
}

/** Commands that share a first word, such as `user add` and `user list`. */
export interface CommandGroup {
  readonly about: string
  readonly verbs: Readonly<Record<string, Command>>
}

/** Declares a command. The types of its option values are derived from its options. */
export const command = <const O extends Options>(declared: Command<O>): Command => declared as unknown as Command

/** Thrown for an invalid command line; the exit code is 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const isGroup = (entry: Command | CommandGroup): entry is CommandGroup => 'verbs' in entry

export const ENVIRONMENT_OPTION = {
  type: 'string',
  value: 'NAME',
  about: 'production or sandbox',
} as const satisfies Option

/** Environment option for commands that use production by default. */
export const IN_PRODUCTION = { ...ENVIRONMENT_OPTION, default: 'production' } as const satisfies Option

export const DROP_OLD_OPTION = {
  type: 'boolean',
  default: false,
  about: 'Revoke all secrets but the newest; create none',
} as const satisfies Option

/** Confirmation option that irreversible commands require. */
export const YES_OPTION = {
  type: 'boolean',
  default: false,
  about: 'Confirm: this cannot be undone',
} as const satisfies Option

export function readSwitch(name: string, text: string | undefined): boolean | undefined {
  if (text !== undefined && text !== 'on' && text !== 'off')
    throw new UsageError(`--${name} must be on or off, not '${text}'`)
  return text === undefined ? undefined : text === 'on'
}

/** Runs one command. `path` is its full name, `rest` the arguments after the name. */
export async function runCommand(path: string, entry: Command, rest: readonly string[]): Promise<void> {
  const { values, positionals } = parse(entry, rest)
  if (values.help) return print(describeCommand(path, entry))
  const missing = entry.args[positionals.length]
  if (missing) throw new UsageError(`${missing} is missing`)
  if (positionals.length > entry.args.length)
    throw new UsageError(`Unexpected argument '${positionals[entry.args.length]}'`)
  await entry.run(positionals, values as never)
}

function parse(entry: Command, rest: readonly string[]) {
  try {
    return parseArgs({
      args: [...rest],
      options: { ...entry.options, help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    })
  } catch (problem) {
    const { code, message } = problem as NodeJS.ErrnoException
    if (!code?.startsWith('ERR_PARSE_ARGS')) throw problem
    throw new UsageError(message.split('. ')[0]!)
  }
}

export const JSON_OPTION = {
  type: 'boolean',
  default: false,
  about: 'Prints JSON',
} as const satisfies Option

/** Prints a list: one line of text per item, or a JSON array with one item per line. */
export async function printList<T>(
  items: AsyncIterable<T> | Iterable<T>,
  isJson: boolean,
  describe: { line(item: T): string; json(item: T): unknown },
): Promise<void> {
  let before = '['
  for await (const item of items) {
    if (!isJson) print(describe.line(item))
    else process.stdout.write(`${before}\n${JSON.stringify(describe.json(item))}`)
    before = ','
  }
  if (isJson) print(before === '[' ? '[]' : '\n]')
}

export const print = (text: string): void => void process.stdout.write(`${text}\n`)
/** Writes a line to standard error, for the person at the terminal. */
export const tell = (text: string): void => void process.stderr.write(`${text}\n`)

const heading = (text: string): string => styleText('bold', text, { stream: process.stdout })

function describeCommand(path: string, { about, args, options, examples, notes }: Command): string {
  const rows = Object.entries<Option>({ ...options, help: { type: 'boolean', about: 'Show this help' } }).map(
    ([name, option]): [string, string] => [
      `--${name}${option.value ? ` ${option.value}` : ''}`,
      `${option.about}${option.multiple ? ' (can be repeated)' : ''}${typeof option.default === 'string' ? ` (default: ${option.default})` : ''}`,
    ],
  )
  return [
    `${heading('Usage:')} npx groundschool ${[path, ...args].join(' ')} [options]`,
    '',
    about,
    ...(notes ? ['', notes] : []),
    '',
    heading('Options:'),
    ...layOut(rows),
    '',
    heading(examples.length > 1 ? 'Examples:' : 'Example:'),
    ...examples.map((example) => `  npx groundschool ${example}`),
  ].join('\n')
}

export function describeGroup(path: string, { about, verbs }: CommandGroup): string {
  const rows = Object.entries(verbs).map(([verb, entry]): [string, string] => [
    [verb, ...entry.args].join(' '),
    entry.about,
  ])
  return [
    `${heading('Usage:')} npx groundschool ${path} <command> [options]`,
    '',
    about,
    '',
    heading('Commands:'),
    ...layOut(rows),
    '',
    `npx groundschool ${path} <command> --help shows the options of a command.`,
  ].join('\n')
}

export function layOut(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
