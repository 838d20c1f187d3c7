import { tmpdir } from 'node:os'
import { parseArgs } from 'node:util'
import { SCENARIOS } from './scenarios.ts'

export interface Options {
  readonly rounds: number
  /** What to try instead of the rounds. */
  readonly scenarios: readonly string[]
  /** Folder for the disks of the machines. */
  readonly folder: string
  /** File for the figures. */
  readonly out: string | undefined
  /** True if the disks and logs are kept. */
  readonly keep: boolean
}

/** Reads the command line. Throws a sentence about what is wrong with it. */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '50' },
      try: { type: 'string' },
      folder: { type: 'string', default: tmpdir() },
      out: { type: 'string' },
      keep: { type: 'boolean', default: false },
    },
  })
  const { folder, out, keep } = values
  if (!/^[1-9]\d*$/.test(values.rounds)) throw new Error(`--rounds takes a whole number, not ${values.rounds}`)
  const scenarios = values.try?.split(',') ?? []
  const unknown = scenarios.find((name) => !Object.hasOwn(SCENARIOS, name))
  if (unknown !== undefined)
    throw new Error(`--try takes ${Object.keys(SCENARIOS).join(', ')}, separated by commas, and not ${unknown}`)
  return { rounds: Number(values.rounds), scenarios, folder, out, keep }
}
