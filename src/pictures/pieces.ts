import { fail } from '../errors.ts'

/**
 * Decoders take time and memory for each part before anybody knows how large the image is. A photograph has a hundred, or some thousands where its pixels come in
 * small pieces.
 */
const MAX_PARTS = 20_000

export function checkParts(count: number): void {
  if (count > MAX_PARTS)
    throw fail('validationFailed', 'The image consists of too many parts; open it, save it again and send that')
}

/** Pieces of an image, those beside each other as one. */
export class Pieces {
  readonly #from: Buffer
  readonly #kept: Buffer[] = []
  #start = 0
  #end = 0

  constructor(from: Buffer) {
    this.#from = from
  }

  keep(start: number, end: number): void {
    if (start !== this.#end) {
      this.#kept.push(this.#from.subarray(this.#start, this.#end))
      this.#start = start
    }
    this.#end = end
  }

  /** In the place of one that is not kept. */
  put(...pieces: Buffer[]): void {
    this.#kept.push(this.#from.subarray(this.#start, this.#end), ...pieces)
    this.#start = this.#end
  }

  join(): Buffer {
    return Buffer.concat([...this.#kept, this.#from.subarray(this.#start, this.#end)])
  }
}

export function uint32BE(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
