import { fail } from '../errors.ts'

/** Who waits holds a request in memory, so a line has an end; who works holds what they work on, so only so many work at once. */
const MAX_WAITING = 1000
const MAX_WORKING = 32

type Line = (() => void)[]

interface Lines {
  working: number
  /** Who is first in their line, and waits for a place to work. */
  readonly ready: Line
  /** Who waits for each key that somebody has. */
  readonly waiting: Map<string, Line>
  /** The first of each line of somebody who has several, and has one at work. */
  readonly sharing: Map<string, Line>
}

/**
 * One at a time for each key of an owner, in the order of arrival; different keys do not wait for each other, up to a point. Lines that share are one at a time as
 * well, each of them in its turn: so nobody gets more done by standing in many lines, and a long line does not hold up the others.
 */
export class Turns {
  readonly #owners = new WeakMap<object, Lines>()
  readonly #most: { readonly waiting: number; readonly working: number }

  /** How many may wait for one key, and work for one owner. */
  constructor(most: { waiting?: number; working?: number } = {}) {
    this.#most = { waiting: most.waiting ?? MAX_WAITING, working: most.working ?? MAX_WORKING }
  }

  /** `sharer`: whose line it is, where they have others too. */
  async take<T>(owner: object, key: string, work: () => Promise<T>, sharer?: string): Promise<T> {
    const lines = this.#linesOf(owner)
    if ((lines.waiting.get(key)?.length ?? 0) >= this.#most.waiting)
      throw fail('tooManyRequests', 'Too many requests wait for their turn; try again shortly', 1)
    const turn = enter(lines.waiting, key)
    if (turn) await turn
    if (sharer !== undefined) await enter(lines.sharing, sharer)
    if (lines.working >= this.#most.working) await new Promise<void>((resolve) => lines.ready.push(resolve))
    else lines.working++
    try {
      return await work()
    } finally {
      passOn(lines.ready, () => lines.working--)
      if (sharer !== undefined) leave(lines.sharing, sharer)
      leave(lines.waiting, key)
    }
  }

  #linesOf(owner: object): Lines {
    const lines = this.#owners.get(owner) ?? { working: 0, ready: [], waiting: new Map(), sharing: new Map() }
    this.#owners.set(owner, lines)
    return lines
  }
}

/** Waits until nobody else has the key. */
function enter(all: Map<string, Line>, key: string): Promise<void> | undefined {
  const line = all.get(key)
  if (line) return new Promise<void>((resolve) => line.push(resolve))
  all.set(key, [])
  return undefined
}

const leave = (all: Map<string, Line>, key: string): void => passOn(all.get(key)!, () => all.delete(key))

/** To the next in line; where there is none, what was held is given back. */
function passOn(line: Line, giveBack: () => void): void {
  const next = line.shift()
  if (next) next()
  else giveBack()
}
