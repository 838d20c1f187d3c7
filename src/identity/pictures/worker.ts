import type { Logger } from 'pino'
import { Gate } from '../../kernel/bounds/gate.ts'
import { LruCache } from '../../kernel/bounds/lru-cache.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import { service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { rateLimit } from '../../kernel/limits/limits.ts'
import { checkFormat, etagOf, type ImageKind, SHAPES } from './rules.ts'
import { WorkerProcess, type WorkerResult } from './worker-process.ts'

/**
 * Only one image is decoded at a time, because decoding may take 400 MiB. Each waiting image takes up to 5 MiB; after
 * 30 seconds it is refused.
 */
const WAITING = { atOnce: 1, waiting: 40, waitingPerKey: 4, waitMs: 30_000 }
/** Time limit for decoding one image. On a busy machine, the slowest permitted image takes 3 seconds. */
const MAX_MS = 10_000
/** Memory limit for decoding one image. The largest permitted image takes 400 MiB. */
const MAX_MIB = 640
/**
 * A person whose image exceeded the limits may not upload another for this long, because such images delay everybody.
 */
const PAUSE_MS = 300_000
/**
 * Megapixels charged for each image in addition to its own: ten times the pixels of the sizes made from it, because
 * encoding is slower than decoding.
 */
const MADE_MEGAPIXELS: Record<ImageKind, number> = { picture: 3.5, cover: 17 }
/**
 * Added to the platform's nice value: decoding has a lower priority than the platform, which must answer requests, and
 * the sandbox a lower one than production.
 */
const NICENESS: Record<EnvironmentName, number> = { production: 5, sandbox: 10 }
/**
 * The signals with which the process ends if the image is not the cause: a signal from outside, such as SIGKILL by the
 * kernel when memory runs out, or none (null), for example because the process could not be started.
 */
const FOREIGN_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', null]

/** Takes megapixels from the person's rate limit, or returns how long to wait. */
type TakeMegapixels = (person: string, megapixels: number) => { isAllowed: boolean; waitSeconds: number }

export interface WorkerOptions {
  readonly name: EnvironmentName
  readonly log: Logger
  readonly take: TakeMegapixels
  readonly program?: string
  readonly maxMs?: number
  readonly maxMiB?: number
  readonly pauseMs?: number
}

export interface NewImage {
  readonly kind: ImageKind
  readonly image: Buffer
  /** Whether the client has disconnected. */
  hasLeft(): boolean
}

export interface SizedImage {
  readonly width: number
  readonly bytes: Buffer<ArrayBuffer>
  readonly etag: string
}

/**
 * Decodes the images of one environment, each in a separate process: only killing a process reliably stops a decoder
 * and frees its memory.
 */
export class ImageWorker {
  readonly gate = new Gate({ ...WAITING, refusal: tooBusy })
  readonly #parts: WorkerOptions
  readonly #pausedUntilMs = new LruCache<number>(10_000)
  #process: WorkerProcess | undefined
  #isStopped = false

  constructor(parts: WorkerOptions) {
    this.#parts = parts
  }

  async makeSizes(person: string, { kind, image, hasLeft }: NewImage): Promise<SizedImage[]> {
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

  /** Refuses all waiting images and kills the running process. */
  async stop(): Promise<void> {
    this.#isStopped = true
    this.gate.refuseWaiting()
    this.#process?.kill('the platform stops')
    await this.#process?.ended
  }

  async #decode(person: string, kind: ImageKind, image: Buffer): Promise<Buffer<ArrayBuffer>[]> {
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
      log.error(how, 'image worker failed')
      throw notNow()
    }
    log.warn(how, 'image exceeded the worker limits')
    this.#pausedUntilMs.set(person, performance.now() + pauseMs)
    this.gate.refuseWaiting(person)
    throw fail(
      'validationFailed',
      'The image takes too long, or too much memory, to read; save a smaller version and send that',
    )
  }

  #charge(person: string, megapixels: number): void {
    const { isAllowed, waitSeconds } = this.#parts.take(person, megapixels)
    if (!isAllowed) throw tooMany(waitSeconds)
  }
}

/**
 * Whether the process ended for a reason unrelated to the image: it could not be started, or was killed from outside.
 */
const isForeign = ({ why, signal }: Omit<WorkerResult, 'answer'>): boolean =>
  why === undefined && FOREIGN_SIGNALS.includes(signal)

const tooBusy = () => fail('notReady', 'Too many images are being processed; try again shortly', 5)
const notNow = () => fail('notReady', 'Images cannot be processed at the moment; try again shortly', 5)
const tooMany = (waitSeconds: number) =>
  fail('tooManyRequests', 'Too many or too large images in a short time; try again later', waitSeconds)

/**
 * Decodes the sizes from base64. A compromised decoder may return anything, so this returns an empty list unless each
 * size begins like a WebP image.
 */
function readSizes(sizes: unknown): Buffer<ArrayBuffer>[] {
  const read = Array.isArray(sizes) ? sizes.map((size) => Buffer.from(String(size), 'base64')) : []
  return read.every((bytes) => /^RIFF.{4}WEBP/s.test(bytes.toString('latin1', 0, 12))) ? read : []
}

const imageLimit = rateLimit('images', (config) => ({
  perSecond: config.RATE_IMAGE_PER_SECOND,
  burst: config.RATE_IMAGE_BURST,
}))

export const imageWorker = service(
  ({ name, log, clock, stopping, get }) => {
    const images = get(imageLimit)
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
