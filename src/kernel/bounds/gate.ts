import { fail, type PlatformError } from '../errors.ts'

export interface GateLimits {
  /** How many work at once. */
  readonly atOnce: number
  /** How many of one key work at once; 1 makes the gate a mutex for each key. */
  readonly perKey?: number
  /** How many wait, all together and of one key. With 0 nobody waits: there is room, or a refusal. */
  readonly waiting?: number
  readonly waitingPerKey?: number
  /** Nobody waits longer. */
  readonly waitMs?: number
  readonly refusal?: () => PlatformError
}

const defaultRefusal = () => fail('tooManyRequests', 'Too many requests are waiting; try again shortly', 1)

interface Waiter {
  readonly key: string
  readonly timer: NodeJS.Timeout | undefined
  enter(leave: () => void): void
  refuse(problem: Error): void
}

interface Party {
  working: number
  readonly waiting: Waiter[]
}

/**
 * Lets so many work at once. Who has to wait is served by key: next is the key whose last turn was longest ago, and within it whoever came first, so that nobody
 * waits behind somebody else's crowd. Full queues refuse at once.
 */
export class Gate {
  readonly #limits: Required<Omit<GateLimits, 'waitMs'>> & Pick<GateLimits, 'waitMs'>
  /** By key, the one whose turn ended last at the end. Nobody is in here who neither works nor waits. */
  readonly #parties = new Map<string, Party>()
  #working = 0
  #waiting = 0

  constructor(limits: GateLimits) {
    this.#limits = {
      perKey: limits.atOnce,
      waiting: 1000,
      waitingPerKey: limits.waiting ?? 1000,
      refusal: defaultRefusal,
      ...limits,
    }
  }

  get working(): number {
    return this.#working
  }

  get waiting(): number {
    return this.#waiting
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const leave = this.tryEnter(key) ?? (await this.#wait(key))
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Waits for a turn; what it resolves to ends it, and may be called again. */
  async enter(key: string): Promise<() => void> {
    return this.tryEnter(key) ?? this.#wait(key)
  }

  /** A turn, where there is one now. */
  tryEnter(key: string): (() => void) | undefined {
    const party = this.#parties.get(key)
    if (
      this.#working >= this.#limits.atOnce ||
      (party && (party.working >= this.#limits.perKey || party.waiting.length > 0))
    )
      return undefined
    return this.#start(key, party ?? { working: 0, waiting: [] })
  }

  /** Refuses everybody who waits: those of one key, or all. */
  refuseWaiting(key?: string, problem: PlatformError = this.#limits.refusal()): void {
    for (const [name, party] of [...this.#parties]) {
      if (key !== undefined && name !== key) continue
      for (const waiter of [...party.waiting]) this.#refuse(waiter, problem)
    }
  }

  #wait(key: string): Promise<() => void> {
    const party = this.#parties.get(key) ?? { working: 0, waiting: [] }
    const { waiting, waitingPerKey, waitMs, refusal } = this.#limits
    if (this.#waiting >= waiting || party.waiting.length >= waitingPerKey) throw refusal()
    this.#parties.set(key, party)
    return new Promise((enter, refuse) => {
      const timer = waitMs === undefined ? undefined : setTimeout(() => this.#refuse(waiter, refusal()), waitMs)
      const waiter: Waiter = { key, timer, enter, refuse }
      party.waiting.push(waiter)
      this.#waiting++
    })
  }

  #start(key: string, party: Party): () => void {
    party.working++
    this.#working++
    this.#parties.set(key, party)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      party.working--
      this.#working--
      // Behind those who came while it worked.
      this.#parties.delete(key)
      if (party.working > 0 || party.waiting.length > 0) this.#parties.set(key, party)
      this.#serve()
    }
  }

  #serve(): void {
    while (this.#waiting > 0 && this.#working < this.#limits.atOnce) {
      const next = this.#findNext()
      if (!next) return
      const [key, party] = next
      const waiter = party.waiting.shift()!
      clearTimeout(waiter.timer)
      this.#waiting--
      waiter.enter(this.#start(key, party))
    }
  }

  #findNext(): [string, Party] | undefined {
    for (const entry of this.#parties) {
      const [, party] = entry
      if (party.waiting.length > 0 && party.working < this.#limits.perKey) return entry
    }
    return undefined
  }

  #refuse(waiter: Waiter, problem: Error): void {
    const party = this.#parties.get(waiter.key)
    const index = party?.waiting.indexOf(waiter) ?? -1
    if (!party || index < 0) return
    party.waiting.splice(index, 1)
    clearTimeout(waiter.timer)
    this.#waiting--
    if (party.working === 0 && party.waiting.length === 0) this.#parties.delete(waiter.key)
    waiter.refuse(problem)
  }
}

/** A gate for each environment: its database is the owner. */
export function gatePerOwner(limits: GateLimits): (owner: object) => Gate {
  const gates = new WeakMap<object, Gate>()
  return (owner) => {
    const gate = gates.get(owner) ?? new Gate(limits)
    gates.set(owner, gate)
    return gate
  }
}
