export interface Measured {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly nodeCpuMs: number
  readonly databaseCpuMs: number
}

interface Row {
  readonly name: string
  readonly base: string
  readonly goal?: number
}

export interface Report {
  readonly scenarios: readonly Row[]
  readonly connectionCounts: readonly number[]
  readonly results: ReadonlyMap<string, readonly Measured[]>
  readonly rounds: number
  readonly seconds: number
  readonly memory: { readonly rssBytes: number; readonly seconds: number } | undefined
  readonly machine: string
}

const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}

const medianOf = (measured: readonly Measured[], field: keyof Measured): number =>
  median(measured.map((one) => one[field]))

/** The share of the base is the median of the rounds' own shares: both were measured within seconds of each other. */
function shareOf(report: Report, row: Row, connections: number): number {
  const own = report.results.get(`${row.name} ${connections}`) ?? []
  const base = report.results.get(`${row.base} ${connections}`) ?? []
  return median(own.map((one, round) => one.perSecond / (base[round] as Measured).perSecond))
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')
const percent = (value: number): string => `${Math.round(value * 100)} %`

export function writeTable(report: Report): string {
  const { rounds, seconds, machine, memory } = report
  const lines = [
    `# Benchmark`,
    '',
    `\`npm run bench\`: medians of ${rounds} interleaved rounds of ${seconds} s each, server, load and PostgreSQL on one machine (${machine}).`,
    'CPU is milliseconds per request, of the Node process and of PostgreSQL. A share is of the scenario named in its column, in the same round.',
    '',
  ]
  for (const connections of report.connectionCounts) {
    lines.push(`## ${connections} ${connections === 1 ? 'connection' : 'connections'}`, '')
    lines.push(
      '| scenario | requests/s | p50 ms | p99 ms | CPU Node | CPU PostgreSQL | share | of |',
      '|---|--:|--:|--:|--:|--:|--:|---|',
    )
    for (const row of report.scenarios) {
      const measured = report.results.get(`${row.name} ${connections}`) ?? []
      const cells = [
        row.name,
        whole(medianOf(measured, 'perSecond')),
        medianOf(measured, 'p50Ms').toFixed(2),
        medianOf(measured, 'p99Ms').toFixed(2),
        medianOf(measured, 'nodeCpuMs').toFixed(3),
        medianOf(measured, 'databaseCpuMs').toFixed(3),
        percent(shareOf(report, row, connections)),
        row.base,
      ]
      lines.push(`| ${cells.join(' | ')} |`)
    }
    lines.push('')
  }
  lines.push('## Goals', '')
  for (const row of report.scenarios) {
    if (row.goal === undefined || !report.connectionCounts.includes(32)) continue
    const share = shareOf(report, row, 32)
    lines.push(
      `- ${row.name} at ${percent(row.goal)} of ${row.base} with 32 connections: ${percent(share)}, ${share >= row.goal ? 'reached' : 'missed'}`,
    )
  }
  if (memory)
    lines.push(
      `- memory of the Node process after ${memory.seconds} s of load, goal under 150 MB: ${Math.round(memory.rssBytes / 1e6)} MB`,
    )
  return `${lines.join('\n')}\n`
}
