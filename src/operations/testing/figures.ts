import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Resources that a test run starts. The report prints how many of each were started. */
const COUNTED = ['platforms', 'databases', 'browsers'] as const
type Counted = (typeof COUNTED)[number]

const fileOf = (): string | undefined =>
  process.env.GROUNDSCHOOL_TEST_PLACE && join(process.env.GROUNDSCHOOL_TEST_PLACE, 'figures')

/**
 * Counts a resource by appending to a file, which is atomic for short texts: test processes share nothing but files.
 */
export function count(what: Counted): void {
  const file = fileOf()
  if (file) appendFileSync(file, `${what}\n`)
}

export function readCounts(): Record<Counted, number> {
  const lines = readFileSync(fileOf()!, { encoding: 'utf8', flag: 'a+' }).split('\n')
  const entries = COUNTED.map((what) => [what, lines.filter((line) => line === what).length])
  return Object.fromEntries(entries)
}

const TICKS_A_SECOND = 100

/**
 * Reads the processor seconds of this process, and of all its descendants that have ended; undefined on systems without
 * /proc.
 */
export function readCpuSeconds(): { own: number; children: number } | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The process name before the last parenthesis may contain any character. proc_pid_stat(5) numbers the fields after
    // it from 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const seconds = (...numbers: number[]) =>
      numbers.reduce((sum, n) => sum + Number(fields[n - 3]), 0) / TICKS_A_SECOND
    return { own: seconds(14, 15), children: seconds(16, 17) }
  } catch {
    return undefined
  }
}
