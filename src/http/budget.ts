/** How many bytes may be in memory at once for one purpose. Small ones are not counted: there is a limit to how many requests bring them. */
export class Budget {
  readonly #limit: number
  #used = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get isSpent(): boolean {
    return this.#used >= this.#limit
  }

  /** Takes the bytes until `done` says that they are no longer held. */
  take(bytes: number, done: (giveBack: () => void) => void): void {
    if (!isLarge(bytes)) return
    this.#used += bytes
    done(() => {
      this.#used -= bytes
    })
  }
}

const SMALL_BYTES = 16 * 1024

export const isLarge = (bytes: number): boolean => bytes > SMALL_BYTES
