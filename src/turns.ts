import { fail } from './errors.ts'

/** Who waits holds a request in memory, so a line has an end; who works holds what they work on, so only so many work at once. */
const MAX_WAITING = 1000
const MAX_WORKING = 32

interface Lines {
  working: number
  /** Who has a key, and waits for a place to work. */
  readonly ready: (() => void)[]
  /** Who waits for each key that somebody has. */
  readonly waiting: Map<string, (() => void)[]>
}

/** One at a time for each key of an owner, in the order of arrival; different keys do not wait for each other, up to a point. */
export class Turns {
  readonly #owners = new WeakMap<object, Lines>()
  readonly #most: { readonly waiting: number; readonly working: number }

  /** How many may wait for one key, and work for one owner. */
  constructor(most: { waiting?: number; working?: number } = {}) {
    this.#most = { waiting: most.waiting ?? MAX_WAITING, working: most.working ?? MAX_WORKING }
  }

  async take<T>(owner: object, key: string, work: () => Promise<T>): Promise<T> {
    const lines = this.#linesOf(owner)
    const line = lines.waiting.get(key)
    if (line && line.length >= this.#most.waiting)
      throw fail('tooManyRequests', 'Too many requests wait for their turn; try again shortly', 1)
    if (line) await new Promise<void>((resolve) => line.push(resolve))
    else lines.waiting.set(key, [])
    if (lines.working >= this.#most.working) await new Promise<void>((resolve) => lines.ready.push(resolve))
    else lines.working++
    try {
      return await work()
    } finally {
      passOn(lines.ready, () => lines.working--)
      passOn(lines.waiting.get(key)!, () => lines.waiting.delete(key))
    }
  }

  #linesOf(owner: object): Lines {
    const lines = this.#owners.get(owner) ?? { working: 0, ready: [], waiting: new Map() }
    this.#owners.set(owner, lines)
    return lines
  }
}

/** To the next in line; where there is none, what was held is given back. */
function passOn(line: (() => void)[], giveBack: () => void): void {
  const next = line.shift()
  if (next) next()
  else giveBack()
}
