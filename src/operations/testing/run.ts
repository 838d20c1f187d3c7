import { globSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { enableCompileCache, flushCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { CODE_CACHE } from './code-cache.ts'
import { readCounts, readCpuSeconds } from './figures.ts'
import { ImportGraph, opensBrowser, selectTests } from './graph.ts'
import { Report } from './report.ts'
import { listChanged, readTree } from './since.ts'

const TESTS = [
  'src/**/*.test.ts',
  'web/**/*.test.ts',
  'sdk/src/*.test.ts',
  'examples/**/*.test.ts',
  'interop/*.test.ts',
  'drill/*.test.ts',
]
/** These tests measure whole starts of the platform and its database, so they run alone on the machine. */
const ALONE = /\/platform\/machine\.test\.ts$|\/embedded\/embedded\.test\.ts$/
/**
 * Number of worker processes: one more than CI has processors, because each worker sometimes waits for PostgreSQL or a
 * timer.
 */
const WORKERS = 3
/**
 * Files that run in a separate process, because they measure time, examine their process (its memory, threads, children
 * or hooks), or need a school that no other file has used.
 */
const APART = new RegExp(
  [
    '/database/(embedded/|backup|restore|report-lane|list-lane|all-statements|database\\.|transaction\\.|outage\\.|patience\\.)',
    '/people/passwords\\.',
    '/pictures/(worker|stop|killed|hostile)',
    '/platform/(platform|list-crowd|numbers)\\.',
  ].join('|'),
)
/**
 * Flags for test processes. A large nursery saves a third of the garbage collector's work. Its helper threads are off,
 * because they would only compete for the two processors. Processes are forced to exit, because resources left by a
 * failed test could keep them running, which would look like a suite that hangs.
 */
const NODE_FLAGS = ['--max-semi-space-size=64', '--single-threaded-gc', '--test-force-exit']

/**
 * `npm test` runs all tests, `npm test -- FILE …` the given files, and `npm test -- --since REF` the tests that changes
 * since REF can affect. With `--long`, randomised tests run in full length.
 */
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean' }, since: { type: 'string' } },
})
if (values.long) process.env.GROUNDSCHOOL_LONG = '1'
const isNamed = positionals.length > 0
const found = globSync(isNamed ? positionals : TESTS).sort()
if (found.length === 0) throw new Error(`There is no such file: ${positionals.join(', ')}`)
const files = values.since === undefined ? found : selectSince(values.since)
if (files.length === 0) process.exit()

// The setup compiles the code into this cache, from which test processes load it.
enableCompileCache(CODE_CACHE)
const { globalSetup, globalTeardown } = await import('./setup.ts')
flushCompileCache()
const startedMs = performance.now()

const entries = mkdtempSync(join(tmpdir(), 'groundschool-entries-'))
await globalSetup()
let counts: ReturnType<typeof readCounts>
let testSeconds: number
try {
  const report = new Report((text) => process.stdout.write(text))
  let isBroken = false
  const start = (inProcesses: string[], concurrency: number) =>
    run({ files: inProcesses, concurrency, execArgv: NODE_FLAGS }).on('test:summary', ({ success }) => {
      if (!success) isBroken = true
    })
  for (const isAlone of [false, true]) {
    const some = files.filter((file) => ALONE.test(file) === isAlone)
    if (some.length === 0) continue
    const events = start(isNamed || isAlone ? some : share(some), isAlone ? 1 : WORKERS + 1)
    if (isNamed) for await (const text of events.compose(new spec())) process.stdout.write(text)
    else await report.follow(events)
  }
  const tooSlow = report.listTooSlow()
  if (tooSlow.length > 0) {
    process.stdout.write('\nTime limits were missed beside other tests, so these files run again alone:\n')
    isBroken = false
    await report.followAgain(tooSlow, start(tooSlow, 1))
  }
  if (isBroken || report.hasFailures) process.exitCode = 1
  if (!isNamed) report.end()
} finally {
  rmSync(entries, { recursive: true })
  counts = readCounts()
  testSeconds = readCpuSeconds()?.children ?? 0
  await globalTeardown()
}
printFigures()

function selectSince(ref: string): string[] {
  const { tests, why } = selectTests(readTree(), found, listChanged(ref))
  process.stdout.write(`--since ${ref}: ${why}\n`)
  return tests
}

/**
 * Prints the time and resources of this run. Called after PostgreSQL has ended, because only then is its processor time
 * known.
 */
function printFigures(): void {
  const round = (seconds: number) => `${Math.round(seconds)} s`
  const taken = [round((performance.now() - startedMs) / 1000)]
  const cpu = readCpuSeconds()
  if (cpu) {
    const [all, database] = [cpu.own + cpu.children, cpu.children - testSeconds]
    taken.push(`${round(all)} of processor time (tests ${round(testSeconds)}, PostgreSQL ${round(database)})`)
  }
  const started = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
  process.stdout.write(`ℹ took ${taken.join(' and ')}; started ${started.join(', ')}\n`)
}

/**
 * Divides the files among processes that run in parallel: workers for files that may share a process, and one lane in
 * which the other files run one after the other. Those files mostly wait, while the workers keep the processors busy.
 */
function share(all: readonly string[]): string[] {
  const isApart = (file: string) => APART.test(file)
  const shared = all.filter((file) => !isApart(file))
  const queue = join(entries, 'queue')
  // Slow files run first, so that all workers end at about the same time: tests in a browser, then others by size.
  const graph = new ImportGraph(readTree())
  const weigh = (file: string) => statSync(file).size * (opensBrowser(graph, file) ? 100 : 1)
  writeFileSync(queue, JSON.stringify(shared.toSorted((one, other) => weigh(other) - weigh(one))))
  process.env.GROUNDSCHOOL_TEST_QUEUE = queue
  const workers = Array.from({ length: shared.length > 0 ? WORKERS : 0 }, (_, i) => {
    const entry = join(entries, `worker ${i + 1}.mjs`)
    writeFileSync(entry, `import '${new URL('worker.ts', import.meta.url)}'\n`)
    return entry
  })
  return [...workers, ...all.filter(isApart)]
}
