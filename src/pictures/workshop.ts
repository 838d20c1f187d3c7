import type { EnvironmentName } from '../config.ts'
import { fail } from '../errors.ts'
import { makeSizes, type Sized } from './decode.ts'
import { ImageQueue, type Sender } from './queue.ts'
import { type Kind, readFormat, SHAPES } from './rules.ts'

/** To write a pixel as WebP takes as long as to read ten. */
const WRITTEN_FOR_READ = 10

/** What an image counts for beside its own pixels, however few these are: the sizes that are made of it. */
function countMade(kind: Kind): number {
  const { widths, heightOf } = SHAPES[kind]
  return WRITTEN_FOR_READ * widths.reduce((sum, width) => sum + width * heightOf(width), 0)
}

/** Takes megapixels from what a household may send; says how long to wait where there are not so many left. */
export type Take = (household: string, megapixels: number) => { isAllowed: boolean; waitSeconds: number }

/** Where one environment works on images: in turn, and no more for one household than its allowance. */
export class Workshop {
  readonly #take: Take
  readonly #queue: ImageQueue

  constructor(name: EnvironmentName, take: Take) {
    this.#take = take
    this.#queue = new ImageQueue(name)
  }

  /** How many images wait. */
  countWaiting(): number {
    return this.#queue.countWaiting()
  }

  async makeSizes(sender: Sender, { kind, image }: { kind: Kind; image: Buffer }): Promise<Sized[]> {
    const format = readFormat(image)
    this.#charge(sender, countMade(kind))
    return this.#queue.inTurn(sender, (signal) =>
      // A few bytes can be many pixels; how many is known once it is looked at, in its turn.
      makeSizes({ kind, image, format, measured: (pixels) => this.#charge(sender, pixels), signal }),
    )
  }

  #charge({ household }: Sender, pixels: number): void {
    const { isAllowed, waitSeconds } = this.#take(household, pixels / 1_000_000)
    if (!isAllowed)
      throw fail('tooManyRequests', 'Too many images, or too large ones, in a short time; try again later', waitSeconds)
  }
}
