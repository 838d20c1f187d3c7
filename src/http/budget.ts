import type { ServerResponse } from 'node:http'

/** What is smaller is not counted: there is a limit to how many requests bring it. */
const SMALL_BYTES = 16 * 1024

export const isLarge = (bytes: number): boolean => bytes > SMALL_BYTES

/** Gives back what a request holds once its answer is done with; at once where the client has left meanwhile, for then nothing more is heard of it. */
export function holdUntilClosed(response: ServerResponse, giveBack: () => void): void {
  if (response.destroyed) giveBack()
  else response.once('close', giveBack)
}

/** How many bytes may be in memory at once for one purpose; one caller may have half of that, so that the others are still served. */
export class Budget {
  readonly #limit: number
  #used = 0
  readonly #usedBy = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  hasRoomFor(caller: string): boolean {
    return this.#used < this.#limit && (this.#usedBy.get(caller) ?? 0) < this.#limit / 2
  }

  /** Takes the bytes; what it returns gives them back. */
  take(caller: string, bytes: number): () => void {
    this.#add(caller, bytes)
    return () => this.#add(caller, -bytes)
  }

  #add(caller: string, bytes: number): void {
    this.#used += bytes
    const own = (this.#usedBy.get(caller) ?? 0) + bytes
    if (own > 0) this.#usedBy.set(caller, own)
    else this.#usedBy.delete(caller)
  }
}
