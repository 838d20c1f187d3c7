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

const HELP = `npm run drill -- [OPTION...]
Runs the fleet of deploy/fleet on this computer, breaks its machines under load, and reports what was lost.

  --rounds N     break the primary and a platform N times each (50, about 40 minutes)
  --try NAMES    try these instead, separated by commas: ${Object.keys(SCENARIOS).join(', ')}
  --folder PATH  keep the disks of the machines there (${tmpdir()})
  --out FILE     write the figures as JSON
  --keep         do not delete the disks and logs at the end`

/** Reads the command line. Throws a sentence about what is wrong with it. */
export function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '50' },
      try: { type: 'string' },
      folder: { type: 'string', default: tmpdir() },
      out: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) {
    console.log(HELP)
    process.exit()
  }
  const { folder, out, keep } = values
  if (!/^[1-9]\d*$/.test(values.rounds)) throw new Error(`--rounds takes a whole number, not ${values.rounds}`)
  const scenarios = values.try?.split(',') ?? []
  const unknown = scenarios.find((name) => !Object.hasOwn(SCENARIOS, name))
  if (unknown !== undefined)
    throw new Error(`--try takes ${Object.keys(SCENARIOS).join(', ')}, separated by commas, and not ${unknown}`)
  return { rounds: Number(values.rounds), scenarios, folder, out, keep }
}
