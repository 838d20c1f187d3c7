import type { ServerResponse } from 'node:http'

/** What is smaller is not counted: there is a limit to how many requests bring it. */
const SMALL_BYTES = 16 * 1024

export const isLarge = (bytes: number): boolean => bytes > SMALL_BYTES

/** Gives back what a request holds once its answer is done with; at once where the client has left meanwhile, for then nothing more is heard of it. */
export function holdUntilClosed(response: ServerResponse, giveBack: () => void): void {
  if (response.destroyed) giveBack()
  else response.once('close', giveBack)
}

/** Whom something counts for: a person, an anonymous user, or the network where nobody is signed in. */
export interface Party {
  readonly name: string
  /** Anybody can be one of these, as often as they like. */
  readonly isGuest: boolean
}

/**
 * How much may be held at once for one purpose. One person may have half of that, so that the others are still served; all guests together a quarter, so that they never take the
 * room of who is signed in, and one of them half of that.
 */
export class Budget {
  readonly #limit: number
  #used = 0
  #usedByGuests = 0
  readonly #usedBy = new Map<string, number>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether there is room, were it not for the part that is held already. */
  hasRoomFor({ name, isGuest }: Party, held = 0): boolean {
    const share = isGuest ? this.#limit / 4 : this.#limit
    const used = isGuest ? this.#usedByGuests : this.#used
    const own = this.#usedBy.get(name) ?? 0
    return this.#used - held < this.#limit && used - held < share && own - held < share / 2
  }

  /** Takes that much; what it returns gives it back. */
  take(party: Party, amount: number): () => void {
    const holding = new Holding(this, party)
    holding.setTo(amount)
    return holding.giveBack
  }

  /** For `Holding`. */
  change({ name, isGuest }: Party, amount: number): void {
    this.#used += amount
    if (isGuest) this.#usedByGuests += amount
    const own = (this.#usedBy.get(name) ?? 0) + amount
    if (own > 0) this.#usedBy.set(name, own)
    else this.#usedBy.delete(name)
  }
}

/** What one request holds of a budget: nothing at first. */
export class Holding {
  readonly #budget: Budget
  readonly #party: Party
  #held = 0

  constructor(budget: Budget, party: Party) {
    this.#budget = budget
    this.#party = party
  }

  /** Whether it may have more. Others are asked about, not its own size: at worst the budget is exceeded by the largest that one request may bring. */
  canGrow(): boolean {
    return this.#budget.hasRoomFor(this.#party, this.#held)
  }

  setTo(amount: number): void {
    this.#budget.change(this.#party, amount - this.#held)
    this.#held = amount
  }

  readonly giveBack = (): void => this.setTo(0)
}
