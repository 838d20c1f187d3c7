import { parse, relative, resolve } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'

type DataOf<Type extends string> = Extract<TestEvent, { type: Type }>['data']

const SHOWN_SLOWEST = 10
const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const
/** As Node's own reporter has them; CI reads these lines. */
const NAMES = { passed: 'pass', failed: 'fail' } as Record<string, string>

/** Prints a line for each process, what fails, and at the end the slowest files and Node's closing lines. */
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
      if (type === 'test:complete' && data.nesting === 0) this.#complete(data)
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

  #complete({ name, file, details }: DataOf<'test:complete'>): void {
    if (!file) return
    const ms = details.duration_ms
    // That of a process comes last: it has the name of the file that was run.
    if (resolve(name) === file) this.#print(`${details.passed ? '✔' : '✖'} ${labelOf(name)} (${seconds(ms)})\n`)
    else this.#fileMs.set(file, (this.#fileMs.get(file) ?? 0) + ms)
  }

  #endRun({ counts }: DataOf<'test:summary'>): void {
    const found: Partial<Record<string, number>> = counts
    for (const name of COUNTS) this.#counts.set(name, (this.#counts.get(name) ?? 0) + (found[name] ?? 0))
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

/** Of a file, or of a folder that ran in one process. */
const labelOf = (name: string): string => (name.endsWith('.mjs') ? parse(name).name : name)
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
