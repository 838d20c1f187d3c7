import { randomInt } from 'node:crypto'
import { fail } from '../errors.ts'

/** Where a text ends that starts at this quote. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end > 0) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++
    if (backslashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  throw fail('badRequest', 'The body is not valid JSON')
}

/** Up to so many members, counting what is left after parsing is quicker. */
const FEW = 64
/** Longer searches than this are made by somebody who wants them to be long. */
const MAX_STEPS = 64
const SEEDS = [randomInt(2 ** 32), randomInt(2 ** 32)] as const

/**
 * Whether an object of valid JSON may have a key twice: certainly not where the answer is no. Each key becomes a number of 64 bits, so that nothing is kept of the
 * text; to count the members of a large object after parsing takes as long as parsing.
 */
export function mayRepeatKey(json: string, members: number): boolean {
  if (members <= FEW) return members > 1
  const prints = new Fingerprints(members)
  const hasEscapes = json.includes('\\')
  /** The number of the object at each level; 0 for an array. */
  const levels: number[] = [0]
  let objects = 0
  let isKeyNext = false
  for (let i = 0; i < json.length; i++) {
    const c = json.charCodeAt(i)
    if (c === 34 /* " */) {
      const start = i + 1
      i = endOfString(json, i)
      if (!isKeyNext) continue
      isKeyNext = false
      const key = hasEscapes ? decodeKey(json.slice(start, i)) : undefined
      const owner = levels.at(-1)!
      const isNew = key === undefined ? prints.add(owner, json, start, i) : prints.add(owner, key, 0, key.length)
      if (!isNew) return true
    } else if (c === 123 /* { */ || c === 91 /* [ */) {
      isKeyNext = c === 123
      levels.push(isKeyNext ? ++objects : 0)
    } else if (c === 125 /* } */ || c === 93 /* ] */) {
      levels.pop()
      isKeyNext = false
    } else if (c === 44 /* , */) {
      isKeyNext = levels.at(-1) !== 0
    }
  }
  return false
}

/** One key has many spellings: `a` is `\u0061`. */
const decodeKey = (key: string): string => (key.includes('\\') ? JSON.parse(`"${key}"`) : key)

/** A set of keys, each of one object, by their fingerprints alone. */
class Fingerprints {
  readonly #slots: Int32Array
  readonly #mask: number

  constructor(most: number) {
    const size = 2 ** Math.ceil(Math.log2(2 * most))
    this.#slots = new Int32Array(2 * size)
    this.#mask = size - 1
  }

  /** False where it was there already, or may have been. */
  add(owner: number, text: string, start: number, end: number): boolean {
    let one = SEEDS[0] ^ owner
    let two = SEEDS[1] ^ Math.imul(owner, 0x9e3779b1)
    for (let i = start; i < end; i++) {
      const c = text.charCodeAt(i)
      one = Math.imul(one ^ c, 0x85ebca6b)
      one ^= one >>> 15
      two = Math.imul(two ^ c, 0xc2b2ae35)
      two ^= two >>> 13
    }
    // 0 and 0 is a free slot.
    if (one === 0 && two === 0) return false
    const slots = this.#slots
    for (let steps = 0; steps < MAX_STEPS; steps++) {
      const slot = 2 * ((one + steps) & this.#mask)
      if (slots[slot] === 0 && slots[slot + 1] === 0) {
        slots[slot] = one
        slots[slot + 1] = two
        return true
      }
      if (slots[slot] === one && slots[slot + 1] === two) return false
    }
    return false
  }
}
