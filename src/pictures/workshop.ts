import type { Logger } from 'pino'
import { LruCache } from '../bounds/lru-cache.ts'
import { RateLimiter } from '../bounds/rate-limiter.ts'
import type { EnvironmentName } from '../config.ts'
import { service } from '../environment.ts'
import { fail } from '../errors.ts'
import { Press } from './press.ts'
import { ImageQueue, type Sender } from './queue.ts'
import { etagOf, type Kind, readFormat, SHAPES } from './rules.ts'

/** To write a pixel as WebP takes as long as to read ten. */
const WRITTEN_FOR_READ = 10

/** What an image counts for beside its own pixels, however few these are: the sizes that are made of it. */
function countMade(kind: Kind): number {
  const { widths, heightOf } = SHAPES[kind]
  return WRITTEN_FOR_READ * widths.reduce((sum, width) => sum + width * heightOf(width), 0)
}

/** Both stand behind the platform: people wait for answers, and trials in the sandbox can wait for people. */
const NICENESS: Record<EnvironmentName, number> = { production: 5, sandbox: 10 }

/** Takes megapixels from what a household may send; says how long to wait where there are not so many left. */
export type Take = (
  household: string,
  megapixels: number,
) => { isAllowed: boolean; remaining: number; waitSeconds: number }

export interface Sized {
  readonly width: number
  readonly bytes: Buffer<ArrayBuffer>
  readonly etag: string
}

export interface WorkshopParts {
  readonly name: EnvironmentName
  readonly log: Logger
  readonly take: Take
}

/** Where one environment works on images: in turn, and no more for one household than its allowance. */
export class Workshop {
  readonly queue = new ImageQueue()
  readonly #press: Press
  readonly #take: Take
  /** Households that have sent what was more than is allowed: their next image counts for all that they may send. */
  readonly #owing = new LruCache<boolean>(10_000)

  constructor({ name, log, take }: WorkshopParts) {
    this.#take = take
    this.#press = new Press({ niceness: NICENESS[name], log })
  }

  async makeSizes(sender: Sender, { kind, image }: { kind: Kind; image: Buffer }): Promise<Sized[]> {
    const format = readFormat(image)
    const { household } = sender
    const isOwing = this.#owing.get(household) === true
    this.#charge(household, isOwing ? Number.POSITIVE_INFINITY : countMade(kind))
    if (isOwing) this.#owing.set(household, false)
    const sizes = await this.queue.inTurn(sender, () =>
      this.#press.makeSizes({
        kind,
        image,
        format,
        // A few bytes can be many pixels; how many is known once it is looked at, in its turn.
        measured: (pixels) => isOwing || this.#charge(household, pixels),
        killed: () => this.#chargeAll(household),
      }),
    )
    return sizes.map((bytes, i) => ({ width: SHAPES[kind].widths[i]!, bytes, etag: etagOf(bytes) }))
  }

  /** Whoever waits is told to come again, and what is worked on ends. */
  async stop(): Promise<void> {
    this.queue.refuseAll()
    await this.#press.stop()
  }

  #charge(household: string, pixels: number): void {
    const { isAllowed, waitSeconds } = this.#take(household, pixels / 1_000_000)
    if (!isAllowed)
      throw fail('tooManyRequests', 'Too many images, or too large ones, in a short time; try again later', waitSeconds)
  }

  #chargeAll(household: string): void {
    this.#take(household, this.#take(household, 0).remaining)
    this.#owing.set(household, true)
    this.queue.refuseAll(household)
  }
}

export const imageWorker = service(
  ({ name, log, config, clock, stopping }) => {
    const images = new RateLimiter('images', config.RATE_IMAGE_PER_SECOND, config.RATE_IMAGE_BURST)
    const worker = new Workshop({
      name,
      log,
      take: (household, megapixels) => images.take(household, clock().getTime(), megapixels),
    })
    stopping.addEventListener('abort', () => worker.stop())
    return worker
  },
  (worker) => worker.stop(),
)
