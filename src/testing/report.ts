import { relative, resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

type DataOf<Type extends string> = Extract<TestEvent, { type: Type }>['data']

const SHOWN_SLOWEST = 10
const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const
/** As Node's own reporter has them; CI reads these lines. */
const NAMES = { passed: 'pass', failed: 'fail' } as Record<string, string>

/** Prints a line for each file, what fails, and at the end the slowest files and Node's closing lines. */
export class Report {
  readonly #print: (text: string) => void
  readonly #files: { name: string; ms: number }[] = []
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
      // The process of a file, from its start to its end.
      if (type === 'test:complete' && data.file === resolve(data.name)) this.#endFile(data)
      if (type === 'test:summary' && !data.file) this.#endRun(data)
    }
  }

  #fail({ name, file, line, details: { error } }: DataOf<'test:fail'>): void {
    const cause = error.cause ?? error
    const failure = `✖ ${name} (${file ? relative('.', file) : ''}:${line ?? ''})\n${inspect(cause)}\n`
    this.#print(failure)
    // The test around it fails only because this one did.
    if ((error as { failureType?: string }).failureType !== 'subtestsFailed') this.#failures.push(failure)
  }

  #endFile({ name, details }: DataOf<'test:complete'>): void {
    const file = { name, ms: details.duration_ms }
    this.#files.push(file)
    this.#print(`${details.passed ? '✔' : '✖'} ${name} (${seconds(file.ms)})\n`)
  }

  #endRun({ counts }: DataOf<'test:summary'>): void {
    const found: Partial<Record<string, number>> = counts
    for (const name of COUNTS) this.#counts.set(name, (this.#counts.get(name) ?? 0) + (found[name] ?? 0))
  }

  end(): void {
    const slowest = this.#files.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN_SLOWEST)
    this.#print(
      `\nThe slowest files:\n${slowest.map(({ name, ms }) => `${seconds(ms).padStart(9)} ${name}\n`).join('')}\n`,
    )
    if (this.#failures.length > 0) this.#print(`✖ failing tests:\n\n${this.#failures.join('\n')}\n`)
    for (const name of COUNTS) this.#print(`ℹ ${NAMES[name] ?? name} ${this.#counts.get(name) ?? 0}\n`)
    this.#print(`ℹ duration_ms ${performance.now() - this.#startedMs}\n`)
  }
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
