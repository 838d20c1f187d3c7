import type { Duplex } from 'node:stream'
import type { Format, Kind } from './rules.ts'

/** The descriptor by which the platform and a press talk. */
export const WIRE = 3

/** What a press says at last, where it ends itself. */
export const TOO_LARGE = 'this image takes too much memory'

/** An image comes with `measure`, and `make` is about the same one. */
export type Order =
  | { readonly do: 'wake' }
  | { readonly do: 'measure'; readonly format: Format }
  | { readonly do: 'make'; readonly kind: Kind }

export interface Answer {
  readonly isReady?: boolean
  /** What the image counts for. */
  readonly pixels?: number
  /** How many bytes each size has, ascending; they come with it, one after the other. */
  readonly sizes?: readonly number[]
  /** Why the image is refused. */
  readonly problem?: string
}

/** More than any image that is sent, and than all that is made of one. */
const MOST_BYTES = 16 * 2 ** 20
/** How long the words are, and the bytes. */
const HEAD_BYTES = 8

export function say(to: Duplex, what: Order | Answer, bytes: Buffer = Buffer.alloc(0)): void {
  const words = Buffer.from(JSON.stringify(what))
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt32BE(words.length, 0)
  head.writeUInt32BE(bytes.length, 4)
  to.write(Buffer.concat([head, words, bytes]))
}

/** Hears what the other side says. Of what makes no sense nothing is read: `nonsense` ends it. */
export function hear<T extends Order | Answer>(
  from: Duplex,
  heard: (what: T, bytes: Buffer<ArrayBuffer>) => void,
  nonsense: () => void,
): void {
  let held: Buffer[] = []
  let heldBytes = 0
  let neededBytes = HEAD_BYTES
  from.on('data', (chunk: Buffer) => {
    held.push(chunk)
    heldBytes += chunk.length
    while (heldBytes >= neededBytes) {
      const said = Buffer.concat(held)
      const wordsEnd = HEAD_BYTES + said.readUInt32BE(0)
      neededBytes = wordsEnd + said.readUInt32BE(4)
      held = [said]
      if (neededBytes > MOST_BYTES) return nonsense()
      if (heldBytes < neededBytes) return
      held = [said.subarray(neededBytes)]
      heldBytes -= neededBytes
      const words = parse<T>(said.toString('utf8', HEAD_BYTES, wordsEnd))
      if (!words) return nonsense()
      heard(words, said.subarray(wordsEnd, neededBytes))
      neededBytes = HEAD_BYTES
    }
  })
}

function parse<T>(words: string): T | undefined {
  try {
    const what: unknown = JSON.parse(words)
    return typeof what === 'object' && what !== null ? (what as T) : undefined
  } catch {
    return undefined
  }
}
