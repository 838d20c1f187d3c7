import type { ServerResponse } from 'node:http'

/** What is smaller is not counted: there is a limit to how many requests bring it. */
const SMALL_BYTES = 16 * 1024

export const isLarge = (bytes: number): boolean => bytes > SMALL_BYTES

/** Gives back what a request holds once its answer is done with; at once where the client has left meanwhile, for then nothing more is heard of it. */
export function holdUntilClosed(response: ServerResponse, giveBack: () => void): void {
  if (response.destroyed) giveBack()
  else response.once('close', giveBack)
}

/** Who brings or reads so much (bytes a second) is never too slow, counted over so long; each has that long to begin with. A picture of 5 MiB must come faster to be in time at all. */
const PACE_BYTES = 64 * 1024
const PATIENCE_MS = 5_000

const ANYBODY = () => true

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
  /** Those that last as long as somebody takes to send, or to read. */
  readonly #moving = new Set<Holding>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Whether there is room, were it not for the part that is held already. */
  hasRoomFor(party: Party, held = 0): boolean {
    return this.#whoLeavesNoRoomFor(party, held) === undefined
  }

  /**
   * The same, and where there is none, those that move too slowly give way: of whoever holds the most, and the slowest first. Where all move fast, one of those gives way whose
   * party still has more without it than the newcomer has already.
   */
  makeRoomFor(party: Party, held: number, nowMs: number): boolean {
    for (;;) {
      const isInTheWay = this.#whoLeavesNoRoomFor(party, held)
      if (!isInTheWay) return true
      const worst =
        this.#findWorst((one) => one.isSlow(nowMs) && isInTheWay(one.party)) ??
        (isInTheWay === ANYBODY && !party.isGuest ? this.#findOneOfMore(this.#usedByParty(party) - held) : undefined)
      if (!worst) return false
      this.#moving.delete(worst)
      worst.giveWay()
    }
  }

  /** Where one's own share is used up, or that of guests, it would help nobody if others gave way. */
  #whoLeavesNoRoomFor({ name, isGuest }: Party, held: number): ((other: Party) => boolean) | undefined {
    const share = isGuest ? this.#limit / 4 : this.#limit
    if ((this.#usedBy.get(name) ?? 0) - held >= share / 2) return (other) => other.name === name
    if (isGuest && this.#usedByGuests - held >= share) return (other) => other.isGuest
    return this.#used - held >= this.#limit ? ANYBODY : undefined
  }

  /** More than the newcomer has, not as much: otherwise two would take it from each other for ever. */
  #findOneOfMore(than: number): Holding | undefined {
    return this.#findWorst(({ party, held }) => this.#usedByParty(party) - held > than)
  }

  #usedByParty({ name }: Party): number {
    return this.#usedBy.get(name) ?? 0
  }

  /** Of those that may be chosen: of whoever holds the most, the slowest. */
  #findWorst(isChosen: (holding: Holding) => boolean): Holding | undefined {
    let found: Holding | undefined
    for (const holding of this.#moving) {
      if (!isChosen(holding)) continue
      const more = found ? this.#usedByParty(holding.party) - this.#usedByParty(found.party) : 1
      if (more > 0 || (more === 0 && holding.dueAtMs < found!.dueAtMs)) found = holding
    }
    return found
  }

  /** Takes that much; what it returns gives it back. */
  take(party: Party, amount: number): () => void {
    const holding = new Holding(this, party)
    holding.setTo(amount)
    return holding.giveBack
  }

  /** For `Holding`. */
  change(holding: Holding, amount: number): void {
    const { name, isGuest } = holding.party
    if (holding.isMoving) this.#moving.add(holding)
    else this.#moving.delete(holding)
    this.#used += amount
    if (isGuest) this.#usedByGuests += amount
    const own = this.#usedByParty(holding.party) + amount
    if (own > 0) this.#usedBy.set(name, own)
    else this.#usedBy.delete(name)
  }
}

/** What one request holds of a budget: nothing at first. */
export class Holding {
  readonly #budget: Budget
  readonly party: Party
  readonly #nowMs: () => number
  readonly #advanceMs: number
  #held = 0
  /** Until when it is fast enough, if nothing more comes. */
  dueAtMs: number
  #onGiveWay: (() => void) | undefined

  /** Where it is not seen at once that something has moved, `advanceMs` is how much later it may be. */
  constructor(budget: Budget, party: Party, nowMs: () => number = () => performance.now(), advanceMs = PATIENCE_MS) {
    this.#budget = budget
    this.party = party
    this.#nowMs = nowMs
    this.#advanceMs = advanceMs
    this.dueAtMs = nowMs() + PATIENCE_MS
  }

  get held(): number {
    return this.#held
  }

  /** Whether it may have more. Others are asked about, not its own size: at worst the budget is exceeded by the largest that one request may bring. */
  canGrow(): boolean {
    const nowMs = this.#nowMs()
    // Nobody gives way to who is no better.
    if (this.isSlow(nowMs)) return this.#budget.hasRoomFor(this.party, this.#held)
    return this.#budget.makeRoomFor(this.party, this.#held, nowMs)
  }

  setTo(amount: number): void {
    const change = amount - this.#held
    this.#held = amount
    this.#budget.change(this, change)
  }

  readonly giveBack = (): void => this.setTo(0)

  /** From now on it lasts as long as somebody takes to send or to read. Where others need the room, `giveWay` may be called, once, which must give it back. */
  startMoving(giveWay: () => void): void {
    this.#onGiveWay = giveWay
  }

  /** What moves faster than it must is an advance, but not a large one: who sends almost everything at once must not wait with the rest. */
  hasMoved(bytes: number): void {
    const nowMs = this.#nowMs()
    const dueAtMs = Math.max(this.dueAtMs, nowMs) + (bytes / PACE_BYTES) * 1000
    this.dueAtMs = Math.min(dueAtMs, nowMs + this.#advanceMs)
  }

  /** All has come, and is worked on: nobody takes that away. */
  stopMoving(): void {
    this.#onGiveWay = undefined
    this.#budget.change(this, 0)
  }

  get isMoving(): boolean {
    return this.#held > 0 && this.#onGiveWay !== undefined
  }

  isSlow(nowMs: number): boolean {
    return nowMs > this.dueAtMs
  }

  giveWay(): void {
    this.#onGiveWay?.()
  }
}
