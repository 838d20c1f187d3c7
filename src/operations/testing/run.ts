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
]
/** Its promises are seconds of the whole machine. */
const ALONE = /\/platform\/machine\.test\.ts$/
/** One more than CI has processors: each of them waits, for its database or for a clock, a part of its time. */
const SIDE_BY_SIDE = 3
/** Tests of these look at their own process (memory, threads, children) or share a hook: each file gets a process. */
const APART =
  /\/(database\/(embedded\/|backup|restore|report-lane|all-statements|database\.|transaction\.|outage\.)|people\/passwords\.|pictures\/(worker|stop|killed|hostile)|platform\/platform)/
/**
 * Test processes have two cores between them, so threads that help to collect garbage only get in the way. What a failed
 * test has left behind must not keep its process alive: that would look like a suite that hangs.
 */
const NODE_FLAGS = ['--single-threaded-gc', '--test-force-exit']

/**
 * `npm test` runs everything, `npm test -- FILE …` these files, `npm test -- --since REF` those that a change since then
 * can reach. `--long` does not cut down what chance decides.
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

// The first test processes then find the code that the setup has compiled.
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
  for (const isAlone of [false, true]) {
    const some = files.filter((file) => ALONE.test(file) === isAlone)
    if (some.length === 0) continue
    const events = run({ files: isNamed ? some : share(some), concurrency: SIDE_BY_SIDE, execArgv: NODE_FLAGS })
    events.on('test:summary', ({ success }) => {
      if (!success) process.exitCode = 1
    })
    if (isNamed) for await (const text of events.compose(new spec())) process.stdout.write(text)
    else await report.follow(events)
  }
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

/** Prints the time and resources of this run. The processor time of PostgreSQL counts once it has stopped. */
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
 * Workers for the files that may share a process, and the other files by themselves. These wait a lot, so they have one
 * lane while workers keep the processors busy on the others; at last a worker gets that lane too.
 */
function share(all: readonly string[]): string[] {
  const isApart = (file: string) => APART.test(file) || ALONE.test(file)
  const shared = all.filter((file) => !isApart(file))
  const queue = join(entries, 'queue')
  // The longest first, so that no worker is left with one at the end: tests in a browser, then those with most lines.
  const graph = new ImportGraph(readTree())
  const weigh = (file: string) => statSync(file).size * (opensBrowser(graph, file) ? 100 : 1)
  writeFileSync(queue, JSON.stringify(shared.toSorted((one, other) => weigh(other) - weigh(one))))
  process.env.GROUNDSCHOOL_TEST_QUEUE = queue
  const workers = Array.from({ length: shared.length > 0 ? SIDE_BY_SIDE : 0 }, (_, i) => {
    const entry = join(entries, `worker ${i + 1}.mjs`)
    writeFileSync(entry, `import '${new URL('worker.ts', import.meta.url)}'\n`)
    return entry
  })
  return [...workers.slice(1), ...all.filter(isApart), ...workers.slice(0, 1)]
}
