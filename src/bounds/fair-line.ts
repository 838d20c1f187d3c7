/** Those who wait, by party. The next is of the party whose last turn was longest ago, so nobody waits behind somebody else's crowd. */
export class FairLine<T> {
  /** By party; the one whose turn is next is first. */
  readonly #parties = new Map<string, T[]>()
  #served = ''
  #size = 0

  get size(): number {
    return this.#size
  }

  sizeOf(party: string): number {
    return this.#parties.get(party)?.length ?? 0
  }

  push(party: string, one: T): void {
    const line = this.#parties.get(party)
    if (line) line.push(one)
    else this.#parties.set(party, [one])
    this.#size++
  }

  /** Somebody of the party works now, after waiting or not: it comes last from now on, also behind those who come meanwhile. */
  turnOf(party: string): void {
    this.#served = party
  }

  /** Whoever is next; they no longer wait. */
  take(): T | undefined {
    const served = this.#parties.get(this.#served)
    if (served && this.#parties.delete(this.#served)) this.#parties.set(this.#served, served)
    const [party, line] = this.#parties.entries().next().value ?? []
    if (party === undefined || !line) return undefined
    this.turnOf(party)
    const next = line[0] as T
    this.remove(party, next)
    return next
  }

  /** A party that still waits keeps its place among the others. */
  remove(party: string, one: T): void {
    const line = this.#parties.get(party)
    const index = line?.indexOf(one) ?? -1
    if (!line || index < 0) return
    line.splice(index, 1)
    if (line.length === 0) this.#parties.delete(party)
    this.#size--
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const line of this.#parties.values()) yield* line
  }
}
