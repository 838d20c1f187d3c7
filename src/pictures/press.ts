import type { Logger } from 'pino'
import { fail } from '../errors.ts'
import { Ended, PressProcess } from './press-process.ts'
import { type Format, type Kind, SHAPES } from './rules.ts'

/** The slowest that is allowed takes three seconds on a busy machine. */
const MAX_TURN_MS = 10_000
const MAX_START_MS = 10_000
/** The largest that is allowed takes 400, and looks come every 20 ms. */
const MAX_MIB = 640
/** Whoever sets a picture, and then a cover, waits once for the start. */
const MAX_IDLE_MS = 60_000

export interface PressOptions {
  /** How far it stands behind the platform, of 19. */
  readonly niceness: number
  readonly log: Logger
  readonly program?: string | undefined
  readonly maxTurnMs?: number
  readonly maxIdleMs?: number
  readonly maxStartMs?: number
  readonly maxMiB?: number
}

export interface Work {
  readonly kind: Kind
  readonly image: Buffer
  readonly format: Format
  /** Told what it counts for, in pixels, before they are decoded; refuses by throwing. */
  measured(pixels: number): void
  /** Told that reading it was more than is allowed. */
  killed(): void
}

/**
 * Reads images and makes sizes of them, one at a time, in a process of its own: nothing else ends a thread inside a decoder, or gives back what it took. The process
 * is started for the first image, and let go when there was none for a while.
 */
export class Press {
  readonly #options: PressOptions
  #process: PressProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: PressOptions) {
    this.#options = options
  }

  /** In the order of `SHAPES`. */
  async makeSizes(work: Work): Promise<Buffer<ArrayBuffer>[]> {
    clearTimeout(this.#idle)
    const process = await this.#start()
    const startedMs = performance.now()
    const timer = setTimeout(() => process.kill('it takes too long'), this.#options.maxTurnMs ?? MAX_TURN_MS)
    try {
      return await makeSizes(process, work)
    } catch (problem) {
      if (!(problem instanceof Ended)) throw problem
      if (this.#isStopped) throw notNow()
      const tookMs = Math.round(performance.now() - startedMs)
      if (problem.isByOthers) {
        this.#options.log.warn({ ...problem.how, tookMs }, 'the process that reads images was killed by somebody else')
        throw notNow()
      }
      this.#options.log.warn({ ...problem.how, tookMs }, 'an image was more than the process that reads them may take')
      work.killed()
      throw fail(
        'validationFailed',
        'The image takes too long, or too much memory, to read; open it, save it smaller and send that',
      )
    } finally {
      clearTimeout(timer)
      process.unref()
      this.#idle = setTimeout(() => this.#letGo(), this.#options.maxIdleMs ?? MAX_IDLE_MS).unref()
    }
  }

  /** Ends what it does, at once; whoever waits for it is told to come again. */
  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#idle)
    this.#process?.ref().kill('the platform stops')
    await this.#process?.ended
  }

  /** What goes wrong until it is ready is no fault of the image. */
  async #start(): Promise<PressProcess> {
    const { niceness, log, program, maxMiB = MAX_MIB, maxStartMs = MAX_START_MS } = this.#options
    const inTime = <T>(process: PressProcess, step: Promise<T>): Promise<T> => {
      const timer = setTimeout(() => process.kill('it does not answer'), maxStartMs)
      return step.finally(() => clearTimeout(timer))
    }
    try {
      // It may have ended a moment ago.
      if (this.#process && (await inTime(this.#process, this.#process.isAwake()))) return this.#process
      if (this.#isStopped) throw notNow()
      this.#process = new PressProcess({ niceness, maxMiB, program })
      return await inTime(this.#process, this.#process.ready)
    } catch (problem) {
      const how = problem instanceof Ended ? problem.how : { problem: (problem as Error).message }
      if (!this.#isStopped) log.error(how, 'the process that reads images cannot be started')
      throw notNow()
    }
  }

  #letGo(): void {
    this.#process?.kill('nobody needs it')
    this.#process = undefined
  }
}

const notNow = () => fail('notReady', 'Images cannot be read at the moment; try again shortly', 5)

async function makeSizes(process: PressProcess, { kind, image, format, measured }: Work) {
  const { pixels = 0 } = await process.ask({ do: 'measure', format }, image)
  if (!Number.isSafeInteger(pixels) || pixels <= 0) throw process.mistrust()
  measured(pixels)
  const { sizes, bytes } = await process.ask({ do: 'make', kind })
  const made = cut(bytes, sizes)
  if (made.length !== SHAPES[kind].widths.length) throw process.mistrust()
  return made
}

/** A decoder that somebody has taken over says what they want: what is shown as an image is one at least by its first bytes. */
function cut(bytes: Buffer<ArrayBuffer>, lengths: unknown): Buffer<ArrayBuffer>[] {
  const made: Buffer<ArrayBuffer>[] = []
  let at = 0
  for (const length of Array.isArray(lengths) ? lengths : []) {
    const one = bytes.subarray(at, at + Number(length))
    if (!/^RIFF.{4}WEBP/s.test(one.toString('latin1', 0, 12))) return []
    made.push(one)
    at += one.length
  }
  return made
}
