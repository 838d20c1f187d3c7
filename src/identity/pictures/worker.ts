import type { Logger } from 'pino'
import { Gate } from '../../kernel/bounds/gate.ts'
import { LruCache } from '../../kernel/bounds/lru-cache.ts'
import { RateLimiter } from '../../kernel/bounds/rate-limiter.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import { service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { checkFormat, etagOf, type Kind, SHAPES } from './rules.ts'
import { type Ended, WorkerProcess } from './worker-process.ts'

/** One at a time, because one may take 400 MiB. Those who wait hold 5 MiB each, and clients wait no longer. */
const WAITING = { atOnce: 1, waiting: 40, waitingPerKey: 4, waitMs: 30_000 }
/** The slowest image that is allowed takes three seconds on a busy machine, and the largest 400 MiB. */
const MAX_MS = 10_000
const MAX_MIB = 640
/** Whose image had to be killed sends no other for so long: ten seconds for an image would keep everybody else waiting. */
const PAUSE_MS = 300_000
/** What an image counts for beside its own pixels: the sizes that are made of it, ten times, since writing takes so much longer than reading. */
const MADE_MEGAPIXELS: Record<Kind, number> = { picture: 3.5, cover: 17 }
/** Both stand behind the platform: people wait for answers, and trials in the sandbox can wait for people. */
const NICENESS: Record<EnvironmentName, number> = { production: 5, sandbox: 10 }
/** Sent by somebody else, such as the kernel where memory is short. */
const FOREIGN_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', null]

/** Takes megapixels from what a person may send; says how long to wait where there are not so many left. */
type Take = (person: string, megapixels: number) => { isAllowed: boolean; waitSeconds: number }

export interface WorkerParts {
  readonly name: EnvironmentName
  readonly log: Logger
  readonly take: Take
  readonly program?: string
  readonly maxMs?: number
  readonly maxMiB?: number
  readonly pauseMs?: number
}

export interface NewImage {
  readonly kind: Kind
  readonly image: Buffer
  /** Whether nobody is there any more to hear the answer. */
  hasLeft(): boolean
}

export interface Sized {
  readonly width: number
  readonly bytes: Buffer<ArrayBuffer>
  readonly etag: string
}

/** Decodes the images of one environment, each in a process of its own: nothing else ends a thread inside a decoder, or gives back what it took. */
export class ImageWorker {
  readonly gate = new Gate({ ...WAITING, refusal: tooBusy })
  readonly #parts: WorkerParts
  readonly #pausedUntilMs = new LruCache<number>(10_000)
  #process: WorkerProcess | undefined
  #isStopped = false

  constructor(parts: WorkerParts) {
    this.#parts = parts
  }

  async makeSizes(person: string, { kind, image, hasLeft }: NewImage): Promise<Sized[]> {
    checkFormat(image)
    const pausedMs = (this.#pausedUntilMs.get(person) ?? 0) - performance.now()
    if (pausedMs > 0) throw tooMany(Math.ceil(pausedMs / 1000))
    this.#charge(person, MADE_MEGAPIXELS[kind])
    const sizes = await this.gate.run(person, () => {
      if (hasLeft()) throw tooBusy()
      return this.#decode(person, kind, image)
    })
    return sizes.map((bytes, i) => ({ width: SHAPES[kind].widths[i]!, bytes, etag: etagOf(bytes) }))
  }

  /** Who waits is told to come again, and what is worked on ends at once. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.gate.refuseWaiting()
    this.#process?.kill('the platform stops')
    await this.#process?.ended
  }

  async #decode(person: string, kind: Kind, image: Buffer): Promise<Buffer<ArrayBuffer>[]> {
    if (this.#isStopped) throw notNow()
    const { name, log, program, maxMs = MAX_MS, maxMiB = MAX_MIB, pauseMs = PAUSE_MS } = this.#parts
    let refusal: unknown
    const measured = (pixels: number) => {
      try {
        this.#charge(person, pixels / 1_000_000)
      } catch (problem) {
        refusal = problem
        running.kill('there are too many pixels')
      }
    }
    const running = new WorkerProcess({ kind, image, niceness: NICENESS[name], maxMs, maxMiB, program, measured })
    this.#process = running
    const { answer, ...how } = await running.ended
    const sizes = readSizes(answer.sizes)
    if (refusal) throw refusal
    if (this.#isStopped) throw notNow()
    if (sizes.length === SHAPES[kind].widths.length) return sizes
    if (typeof answer.problem === 'string') throw fail('validationFailed', answer.problem)
    if (isForeign(how)) {
      log.error(how, 'the process that reads images could not do so')
      throw notNow()
    }
    log.warn(how, 'an image was more than the process that reads them may take')
    this.#pausedUntilMs.set(person, performance.now() + pauseMs)
    this.gate.refuseWaiting(person)
    throw fail(
      'validationFailed',
      'The image takes too long, or too much memory, to read; open it, save it smaller and send that',
    )
  }

  #charge(person: string, megapixels: number): void {
    const { isAllowed, waitSeconds } = this.#parts.take(person, megapixels)
    if (!isAllowed) throw tooMany(waitSeconds)
  }
}

/** Whether it ended for a reason that has nothing to do with the image: it could not be started, or somebody else killed it. */
const isForeign = ({ why, signal }: Omit<Ended, 'answer'>): boolean =>
  why === undefined && FOREIGN_SIGNALS.includes(signal)

const tooBusy = () => fail('notReady', 'Too many images are being worked on; try again shortly', 5)
const notNow = () => fail('notReady', 'Images cannot be read at the moment; try again shortly', 5)
const tooMany = (waitSeconds: number) =>
  fail('tooManyRequests', 'Too many images, or too large ones, in a short time; try again later', waitSeconds)

/** A decoder that somebody has taken over says what they want: what is shown as an image is one at least by its first bytes. */
function readSizes(sizes: unknown): Buffer<ArrayBuffer>[] {
  const read = Array.isArray(sizes) ? sizes.map((size) => Buffer.from(String(size), 'base64')) : []
  return read.every((bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12))) ? read : []
}

export const imageWorker = service(
  ({ name, log, config, clock, stopping }) => {
    const images = new RateLimiter('images', config.RATE_IMAGE_PER_SECOND, config.RATE_IMAGE_BURST)
    const worker = new ImageWorker({
      name,
      log,
      take: (person, megapixels) => images.take(person, clock().getTime(), megapixels),
    })
    stopping.addEventListener('abort', () => worker.stop())
    return worker
  },
  (worker) => worker.stop(),
)
