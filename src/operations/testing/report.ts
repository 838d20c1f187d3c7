import { parse, relative, resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { isOfTimeLimit } from './time-limits.ts'

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))

type DataOf<Type extends string> = Extract<TestEvent, { type: Type }>['data']

const SHOWN_SLOWEST = 10
const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const
/** Names of the counts as Node's own reporter prints them, because CI parses these lines. */
const NAMES = { passed: 'pass', failed: 'fail' } as Record<string, string>

/** The failed tests of a file. */
interface Failures {
  readonly texts: string[]
  /** The number of failed tests, including tests that failed because of their subtests. */
  count: number
  /** True if nothing but time limits was missed. */
  isOfTimeLimits: boolean
}

/**
 * Prints a line per test file and every failure; at the end, the slowest files and the same summary as Node's reporter.
 */
export class Report {
  readonly #print: (text: string) => void
  readonly #fileMs = new Map<string, number>()
  #failures = new Map<string, Failures>()
  readonly #counts = new Map<string, number>()
  readonly #startedMs = performance.now()

  constructor(print: (text: string) => void) {
    this.#print = print
  }

  async follow(events: AsyncIterable<TestEvent>): Promise<void> {
    for await (const { type, data } of events) {
      if (type === 'test:fail') this.#fail(data)
      if (type === 'test:stderr' || type === 'test:stdout') this.#print(data.message)
      if (type === 'test:complete') this.#complete(data)
      if (type === 'test:summary' && !data.file) this.#addCounts(data)
    }
  }

  /** Lists the files in which nothing but time limits was missed. */
  listTooSlow(): string[] {
    return [...this.#failures].flatMap(([file, { isOfTimeLimits }]) => (isOfTimeLimits ? [file] : []))
  }

  /** Follows another run of files, and replaces their failures. */
  async followAgain(files: readonly string[], events: AsyncIterable<TestEvent>): Promise<void> {
    const before = this.#failures
    this.#failures = new Map(before)
    for (const file of files) this.#failures.delete(file)
    for await (const { type, data } of events) {
      if (type === 'test:fail') this.#fail(data)
      if (type === 'test:complete') this.#complete(data)
    }
    for (const file of files) {
      const mended = before.get(file)!.count - (this.#failures.get(file)?.count ?? 0)
      this.#count('failed', -mended)
      this.#count('passed', mended)
    }
  }

  get hasFailures(): boolean {
    return this.#failures.size > 0
  }

  #fail({ name, file = '', line, details: { error } }: DataOf<'test:fail'>): void {
    // Wrappers fail only because of what they wrap, unless a file could not be loaded.
    const isOfWrapper = file === WORKER || resolve(name) === file
    if (isOfSubtests(error) && isOfWrapper) return
    const failures = this.#failures.get(file) ?? { texts: [], count: 0, isOfTimeLimits: true }
    this.#failures.set(file, failures)
    failures.count++
    // The test failed only because of its subtests, which are reported separately.
    if (isOfSubtests(error)) return
    const cause = error.cause ?? error
    const text = `✖ ${name} (${relative('.', file)}:${line ?? ''})\n${inspect(cause)}\n`
    this.#print(text)
    failures.texts.push(text)
    failures.isOfTimeLimits &&= isOfTimeLimit(cause)
  }

  #complete({ name, file, nesting, details }: DataOf<'test:complete'>): void {
    // A worker wraps the tests of each file in a test, and all of these in another test. Other processes run one file.
    const isWrapper = file === WORKER
    if (isWrapper) this.#leaveOut(details)
    if (isWrapper ? nesting === 0 : resolve(name) !== file || parse(file).ext === '.mjs') return
    this.#print(`${details.passed ? '✔' : '✖'} ${name} (${seconds(details.duration_ms)})\n`)
    this.#fileMs.set(name, details.duration_ms)
  }

  /** Excludes the wrapping tests from the counts. A file that cannot be loaded still counts as a failure. */
  #leaveOut({ passed, error }: DataOf<'test:complete'>['details']): void {
    if (!passed && !isOfSubtests(error)) return
    for (const name of ['tests', passed ? 'passed' : 'failed']) this.#count(name, -1)
  }

  #count(name: string, more: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + more)
  }

  #addCounts({ counts }: DataOf<'test:summary'>): void {
    const found: Partial<Record<string, number>> = counts
    for (const name of COUNTS) this.#count(name, found[name] ?? 0)
  }

  end(): void {
    const slowest = [...this.#fileMs].toSorted(([, one], [, other]) => other - one).slice(0, SHOWN_SLOWEST)
    const lines = slowest.map(([file, ms]) => `${seconds(ms).padStart(9)} ${relative('.', file)}\n`)
    this.#print(`\nThe slowest files:\n${lines.join('')}\n`)
    const texts = [...this.#failures.values()].flatMap((failures) => failures.texts)
    if (texts.length > 0) this.#print(`✖ failing tests:\n\n${texts.join('\n')}\n`)
    for (const name of COUNTS) this.#print(`ℹ ${NAMES[name] ?? name} ${this.#counts.get(name) ?? 0}\n`)
    this.#print(`ℹ duration_ms ${performance.now() - this.#startedMs}\n`)
  }
}

const isOfSubtests = (error: object | undefined): boolean =>
  (error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed'
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
