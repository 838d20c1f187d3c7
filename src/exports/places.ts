import { LruCache } from '../bounds/lru-cache.ts'
import { fail } from '../errors.ts'

/*
 * Who downloads, and who waits for it. There is no limit for a network, because a whole school sits behind one address. Instead whoever has had less of it lately
 * goes first: while there is room nobody is disturbed, and once all places are taken the slowest of those who have had their time gives way to who has had none.
 * Coming back with another connection, or with another account of a crowded network, brings nobody ahead.
 */

/** Each holds a connection and a bucket or two in memory. */
export const MOST_AT_ONCE = 32
/** Each who waits holds a request. */
const MOST_WAITING = 256
const MOST_WAITING_OF_A_NETWORK = 64
/** Proxies give up on an answer after a minute. */
const LONGEST_WAIT_MS = 45_000
/** Nobody who is new gives way earlier, whoever waits. */
const SURE_MS = 30_000
/** Of whom it is known for how long they have had a place lately. */
const REMEMBERED_MS = 10 * 60_000
const MOST_REMEMBERED = 10_000
const LOOK_MS = 250
const RETRY_SECONDS = 15

/** What is downloaded, seen from here. */
export interface Flow {
  readonly bytes: number
  readonly movedAtMs: number
  destroy(reason: Error): unknown
  once(event: 'close', listener: () => void): unknown
}

export interface Place {
  /** The place is given back with the end of the flow. */
  keepFor(flow: Flow): void
  giveBack(): void
}

interface Person {
  readonly personId: number
  readonly network: string
}

interface Holder extends Person {
  readonly sinceMs: number
  readonly usedBeforeMs: number
  flow: Flow | undefined
}

interface Waiter extends Person {
  readonly sinceMs: number
  readonly usedMs: number
  enter(place: Place): void
  refuse(problem: Error): void
}

const busy = () => fail('notReady', 'Others are downloading their data; try again shortly', RETRY_SECONDS)

export class Places {
  readonly #holders = new Map<number, Holder>()
  #waiting: Waiter[] = []
  readonly #used = new LruCache<{ ms: number; atMs: number }>(MOST_REMEMBERED)
  readonly #clock: () => Date
  #looking: NodeJS.Timeout | undefined

  constructor(clock: () => Date, stopping: AbortSignal) {
    this.#clock = clock
    stopping.addEventListener('abort', () => {
      const problem = fail('notReady', 'The platform is stopping; try again shortly', 1)
      for (const waiter of this.#waiting.splice(0)) waiter.refuse(problem)
      this.#lookOrRest()
    })
  }

  /** One for a person. Waits for it a little where all are taken. */
  take(person: Person): Promise<Place> {
    const nowMs = this.#nowMs()
    const own = this.#holders.get(person.personId)
    // One that stands still may be that of a connection which is gone.
    if (own && !(own.flow && nowMs - own.flow.movedAtMs >= SURE_MS))
      throw fail('tooManyRequests', 'You are downloading your data already; wait until that is done', SURE_MS / 1000)
    if (own) this.#cut(own, 'the person asked for another one')
    const before = this.#waiting.findIndex(({ personId }) => personId === person.personId)
    const ofNetwork = this.#waiting.filter(({ network }) => network === person.network).length
    if (before < 0 && (this.#waiting.length >= MOST_WAITING || ofNetwork >= MOST_WAITING_OF_A_NETWORK)) throw busy()
    return new Promise((enter, refuse) => {
      const sinceMs = this.#waiting[before]?.sinceMs ?? nowMs
      const waiter = { ...person, sinceMs, usedMs: this.#usedMs(person.personId, nowMs), enter, refuse }
      // Whoever asks again keeps their place in the line; what they asked for before is answered.
      if (before >= 0) {
        const [older] = this.#waiting.splice(before, 1, { ...waiter, sinceMs })
        older!.refuse(fail('tooManyRequests', 'You have asked for your data once more meanwhile', RETRY_SECONDS))
      } else this.#waiting.push(waiter)
      this.#settle()
    })
  }

  /** Gives places to those who wait, as far as there are any. */
  #settle(): void {
    const nowMs = this.#nowMs()
    for (const waiter of this.#inOrder()) {
      if (this.#holders.size < MOST_AT_ONCE || this.#makeRoom(waiter, nowMs)) this.#admit(waiter, nowMs)
      else if (nowMs - waiter.sinceMs >= LONGEST_WAIT_MS) {
        this.#strike(waiter)
        waiter.refuse(busy())
      }
    }
    this.#lookOrRest()
  }

  /** Who has had less comes first, then who shares the network with fewer, then who came first. */
  #inOrder(): Waiter[] {
    const rank = ({ usedMs }: Waiter) => Math.floor(usedMs / SURE_MS)
    const counts = this.#countNetworks()
    const crowd = ({ network }: Waiter) => counts.get(network) ?? 0
    return [...this.#waiting].sort((a, b) => rank(a) - rank(b) || crowd(a) - crowd(b) || a.sinceMs - b.sinceMs)
  }

  #countNetworks(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const { network } of this.#holders.values()) counts.set(network, (counts.get(network) ?? 0) + 1)
    return counts
  }

  /**
   * Who has had a place for half a minute, and for more than twice as long as the one who waits has had, gives way: the slowest of the most crowded network.
   * Twice, so that turns grow longer where many need long, and everybody comes to an end. Nobody makes room in a network with fewer than their own has.
   */
  #makeRoom(waiter: Waiter, nowMs: number): boolean {
    const counts = this.#countNetworks()
    const crowd = ({ network }: Person) => counts.get(network) ?? 0
    const pace = ({ flow, sinceMs }: Holder) => flow!.bytes / (nowMs - sinceMs)
    const [slowest] = [...this.#holders.values()]
      .filter(
        (one) =>
          one.flow !== undefined &&
          (one.network === waiter.network || crowd(one) > crowd(waiter)) &&
          one.usedBeforeMs + nowMs - one.sinceMs >= SURE_MS + 2 * waiter.usedMs,
      )
      .sort((a, b) => crowd(b) - crowd(a) || pace(a) - pace(b))
    if (slowest) this.#cut(slowest, 'it gave way to somebody who waited')
    return slowest !== undefined
  }

  #admit(waiter: Waiter, nowMs: number): void {
    this.#strike(waiter)
    const { personId, network } = waiter
    const holder: Holder = { personId, network, sinceMs: nowMs, usedBeforeMs: waiter.usedMs, flow: undefined }
    this.#holders.set(personId, holder)
    const giveBack = () => {
      if (this.#leave(holder)) this.#settle()
    }
    waiter.enter({
      giveBack,
      keepFor: (flow) => {
        holder.flow = flow
        flow.once('close', giveBack)
      },
    })
  }

  #strike(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((one) => one !== waiter)
  }

  #cut(holder: Holder, reason: string): void {
    this.#leave(holder)
    holder.flow?.destroy(new Error(reason))
  }

  #leave(holder: Holder): boolean {
    if (this.#holders.get(holder.personId) !== holder) return false
    this.#holders.delete(holder.personId)
    const nowMs = this.#nowMs()
    this.#used.set(String(holder.personId), { ms: holder.usedBeforeMs + nowMs - holder.sinceMs, atMs: nowMs })
    return true
  }

  #usedMs(personId: number, nowMs: number): number {
    const used = this.#used.get(String(personId))
    return used && nowMs - used.atMs < REMEMBERED_MS ? used.ms : 0
  }

  #nowMs(): number {
    return this.#clock().getTime()
  }

  #lookOrRest(): void {
    if (this.#waiting.length > 0) this.#looking ??= setInterval(() => this.#settle(), LOOK_MS)
    else {
      clearInterval(this.#looking)
      this.#looking = undefined
    }
  }
}
