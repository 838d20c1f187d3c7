import type { LoadMeasurement } from './measure.ts'
import { line, medianOf, tableHead, whole } from './table.ts'

/** An SQL statement that an operation ran, with its calls and blocks per request. */
interface TopStatement {
  readonly query: string
  readonly calls: number
  readonly blocks: number
}

export interface GrowthRound extends Omit<LoadMeasurement, 'perSecond'> {
  /** Blocks of 8 kB that PostgreSQL looked at, those of them that were not in its own memory, and bytes of WAL. */
  readonly blocks: number
  readonly reads: number
  readonly wal: number
  readonly top: readonly TopStatement[]
}

export interface GrowthRow {
  readonly group: string
  readonly name: string
  readonly size: number
  readonly rounds: readonly GrowthRound[]
}

export interface GrowthReport {
  readonly machine: string
  readonly sizes: readonly number[]
  readonly rows: readonly GrowthRow[]
  readonly memory: readonly { readonly size: number; readonly rss: number }[]
  readonly rounds: number
  readonly seconds: number
}

const TOLERANCE = 1.1

/** Other work on the machine only adds to the CPU time of a request, so the least of all rounds is the most exact. */
const least = (rounds: readonly GrowthRound[], value: (one: GrowthRound) => number): number =>
  Math.min(...rounds.map(value))
const cpuOf = ({ rounds }: GrowthRow): number =>
  least(rounds, ({ nodeCpuMs, databaseCpuMs }) => nodeCpuMs + databaseCpuMs)
const blocksOf = ({ rounds }: GrowthRow): number => medianOf(rounds, ({ blocks }) => blocks)
const ratio = (value: number, base: number): string => (base === 0 ? '' : `${(value / base).toFixed(2)} ×`)

export function writeGrowth({ machine, sizes, rows, memory, rounds, seconds }: GrowthReport): string {
  const names = [...new Map(rows.map(({ group, name }) => [`${group} / ${name}`, { group, name }])).values()]
  const rowsOf = (wanted: { group: string; name: string }) =>
    sizes.map(
      (size) => rows.find((row) => row.group === wanted.group && row.name === wanted.name && row.size === size)!,
    )
  const growth = names.map((one) => {
    const own = rowsOf(one)
    const [cpu, blocks] = [own.map(cpuOf), own.map(blocksOf)]
    const grows = cpu.slice(1).some((value) => value > cpu[0]! * TOLERANCE)
    return line([
      grows ? `**${one.name}**` : one.name,
      ...cpu.map((value) => value.toFixed(2)),
      ...cpu.slice(1).map((value) => ratio(value, cpu[0]!)),
      ...blocks.map((value) => whole(value)),
      ...blocks.slice(1).map((value) => ratio(value, blocks[0]!)),
    ])
  })
  const times = names.map((one) =>
    line([
      one.name,
      ...rowsOf(one).flatMap((row) =>
        (['p50Ms', 'p95Ms', 'p99Ms'] as const).map((key) => medianOf(row.rounds, (round) => round[key]).toFixed(1)),
      ),
    ]),
  )
  const columns = (text: string) => sizes.map((size) => `${text} ${whole(size)}`)
  const larger = (text: string) => sizes.slice(1).map((size) => `${text} ${whole(size)}`)
  return [
    `Measured with \`npm run bench:growth\`, one connection, ${rounds} rounds of ${seconds} s for each operation and size in turn, after a round that warms up. ${machine}.`,
    '',
    'CPU: milliseconds of Node and PostgreSQL together for a request, the least of all rounds. Blocks: how many blocks of 8 kB PostgreSQL looks at for a request, the median. **Bold**: more than 10 % more CPU than at the smallest size.',
    '',
    ...tableHead('operation', ...columns('CPU'), ...larger('×'), ...columns('blocks'), ...larger('×')),
    ...growth,
    '',
    'Milliseconds until the answer: p50, p95 and p99 at each size, medians of the rounds.',
    '',
    ...tableHead('operation', ...sizes.flatMap((size) => [`p50 ${whole(size)}`, 'p95', 'p99'])),
    ...times,
    '',
    ...tableHead('memory of the platform after the load', ...sizes.map(whole)),
    line(['MB', ...memory.map(({ rss }) => whole(rss / 1e6))]),
    '',
  ].join('\n')
}
