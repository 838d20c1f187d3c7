import { parse, relative, resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))

type DataOf<Type extends string> = Extract<TestEvent, { type: Type }>['data']

const SHOWN_SLOWEST = 10
const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const
/** As Node's own reporter has them; CI reads these lines. */
const NAMES = { passed: 'pass', failed: 'fail' } as Record<string, string>

/** Prints a line for each file, what fails, and at the end the slowest files and Node's closing lines. */
export class Report {
  readonly #print: (text: string) => void
  readonly #fileMs = new Map<string, number>()
  readonly #failures: string[] = []
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
      if (type === 'test:summary' && !data.file) this.#endRun(data)
    }
  }

  #fail({ name, file, line, details: { error } }: DataOf<'test:fail'>): void {
    // The tests inside it have said why.
    if (isOfSubtests(error)) return
    const cause = error.cause ?? error
    const failure = `✖ ${name} (${file ? relative('.', file) : ''}:${line ?? ''})\n${inspect(cause)}\n`
    this.#print(failure)
    this.#failures.push(failure)
  }

  #complete({ name, file, nesting, details }: DataOf<'test:complete'>): void {
    // A worker has a test around the tests of each file, and one around everything. Other processes bear a file's name.
    const isAround = file === WORKER
    if (isAround) this.#leaveOut(details)
    if (isAround ? nesting === 0 : resolve(name) !== file || parse(file).ext === '.mjs') return
    this.#print(`${details.passed ? '✔' : '✖'} ${name} (${seconds(details.duration_ms)})\n`)
    this.#fileMs.set(name, details.duration_ms)
  }

  /** Counts only what somebody wrote as a test. A file that cannot be loaded stays a failure. */
  #leaveOut({ passed, error }: DataOf<'test:complete'>['details']): void {
    if (!passed && !isOfSubtests(error)) return
    for (const name of ['tests', passed ? 'passed' : 'failed']) this.#count(name, -1)
  }

  #count(name: string, more: number): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + more)
  }

  #endRun({ counts }: DataOf<'test:summary'>): void {
    const found: Partial<Record<string, number>> = counts
    for (const name of COUNTS) this.#count(name, found[name] ?? 0)
  }

  end(): void {
    const slowest = [...this.#fileMs].toSorted(([, one], [, other]) => other - one).slice(0, SHOWN_SLOWEST)
    const lines = slowest.map(([file, ms]) => `${seconds(ms).padStart(9)} ${relative('.', file)}\n`)
    this.#print(`\nThe slowest files:\n${lines.join('')}\n`)
    if (this.#failures.length > 0) this.#print(`✖ failing tests:\n\n${this.#failures.join('\n')}\n`)
    for (const name of COUNTS) this.#print(`ℹ ${NAMES[name] ?? name} ${this.#counts.get(name) ?? 0}\n`)
    this.#print(`ℹ duration_ms ${performance.now() - this.#startedMs}\n`)
  }
}

const isOfSubtests = (error: object | undefined): boolean =>
  (error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed'
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
