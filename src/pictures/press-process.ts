import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { fail } from '../errors.ts'
import { type Answer, hear, type Order, say, TOO_LARGE, WIRE } from './wire.ts'

const PROGRAM = fileURLToPath(new URL('press-main.ts', import.meta.url))

/** All that it needs to know. What the platform is told by its environment, such as its keys, is none of it. */
const environmentOf = ({ PATH, LD_LIBRARY_PATH, SystemRoot }: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH,
  LD_LIBRARY_PATH,
  SystemRoot,
  TZ: 'UTC',
  // As in `main.ts`: it starts in half the time.
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/groundschool', import.meta.url)),
  // glibc gives large pieces back when they are freed, and keeps small ones in two places instead of sixteen.
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '262144',
})

/** The process has ended, or is about to, before it answered. */
export class Ended extends Error {
  readonly how: Readonly<Record<string, unknown>>

  constructor(how: Readonly<Record<string, unknown>>) {
    super('the process has ended')
    this.how = how
  }

  /** Whether neither the platform nor the process itself has ended it, nor what it did. */
  get isByOthers(): boolean {
    const { signal, why, output } = this.how
    return signal === 'SIGKILL' && why === undefined && !String(output).includes(TOO_LARGE)
  }
}

type Heard = Answer & { readonly bytes: Buffer<ArrayBuffer> }

/** Of what it complains about, the end goes to the log. */
const MAX_OUTPUT = 1000

/** One process that reads images, from its start to its end. It is asked one thing at a time. */
export class PressProcess {
  readonly ready: Promise<this>
  readonly ended: Promise<void>
  hasEnded = false
  readonly #child: ChildProcess
  readonly #wire: Socket | undefined
  #asked: PromiseWithResolvers<Heard>
  #output = ''
  #why: string | undefined

  constructor({
    niceness,
    maxMiB,
    program = PROGRAM,
  }: { niceness: number; maxMiB: number; program?: string | undefined }) {
    this.#asked = Promise.withResolvers<Heard>()
    this.ready = this.#asked.promise.then(() => this)
    const ended = Promise.withResolvers<void>()
    this.ended = ended.promise
    const end = (how: Record<string, unknown>) => {
      this.hasEnded = true
      this.#asked.reject(new Ended({ ...how, why: this.#why, output: this.#output }))
      ended.resolve()
    }
    const child = spawn(process.execPath, [program, String(niceness), String(maxMiB)], {
      env: environmentOf(process.env),
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    })
    child.on('error', ({ message }) => end({ problem: message }))
    // Which comes when all is read that it has said.
    child.on('close', (code, signal) => end({ code, signal }))
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-MAX_OUTPUT)
    })
    this.#child = child
    // There is none where there were too many files to open one.
    this.#wire = child.stdio?.[WIRE] as Socket | undefined
    if (!this.#wire) return
    // That it is closed is seen by its end.
    this.#wire.on('error', () => {})
    hear<Answer>(
      this.#wire,
      (answer, bytes) => this.#asked.resolve({ ...answer, bytes }),
      () => this.kill('it says what nobody understands'),
    )
  }

  isAwake(): Promise<boolean> {
    this.ref()
    return this.ask({ do: 'wake' }).then(
      () => true,
      () => false,
    )
  }

  async ask(order: Order, image?: Buffer): Promise<Heard> {
    if (this.hasEnded || !this.#wire) throw new Ended({ output: this.#output })
    this.#asked = Promise.withResolvers<Heard>()
    say(this.#wire, order, image)
    const answer = await this.#asked.promise
    if (answer.problem !== undefined) throw fail('validationFailed', String(answer.problem))
    return answer
  }

  kill(why: string): void {
    this.#why ??= why
    this.#child.kill('SIGKILL')
  }

  /** It has answered what nobody meant it to. */
  mistrust(): Ended {
    this.kill('its answer makes no sense')
    this.hasEnded = true
    return new Ended({ why: this.#why })
  }

  /** While it works, this process stays for it. */
  ref(): this {
    for (const one of this.#handles()) one?.ref()
    return this
  }

  unref(): void {
    for (const one of this.#handles()) one?.unref()
  }

  #handles(): ({ ref(): void; unref(): void } | null | undefined)[] {
    return [this.#child, this.#wire, this.#child.stderr as Socket | null]
  }
}
