import { fail, type PlatformError } from '../errors.ts'

export interface GateLimits {
  /** Number of callers that may work at once. */
  readonly atOnce: number
  /** Number of callers with the same key that may work at once. 1 makes the gate a mutex per key. */
  readonly perKey?: number
  /** Number of callers that may wait, in total. With 0, a caller is admitted or refused immediately. */
  readonly waiting?: number
  /** Number of callers with the same key that may wait. */
  readonly waitingPerKey?: number
  /** Longest wait of a caller, in milliseconds. */
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

interface KeyState {
  working: number
  readonly waiting: Waiter[]
}

/**
 * Limits concurrent work. Waiting callers are served fairly by key: the key whose last turn was longest ago is next,
 * and within a key the first to arrive. So a caller never waits behind the whole queue of another key. If a queue is
 * full, further callers are refused immediately.
 */
export class Gate {
  readonly #limits: Required<Omit<GateLimits, 'waitMs'>> & Pick<GateLimits, 'waitMs'>
  /** Ordered by the end of the key's last turn, latest last. Contains only keys with working or waiting callers. */
  readonly #byKey = new Map<string, KeyState>()
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

  /**
   * Waits for a turn. Resolves to a function that ends the turn and may be called more than once. Rejects if the queue
   * is full or `waitMs` has passed.
   */
  async enter(key: string): Promise<() => void> {
    return this.tryEnter(key) ?? this.#wait(key)
  }

  /** Starts a turn and returns the function that ends it; undefined if no turn is free now. */
  tryEnter(key: string): (() => void) | undefined {
    const state = this.#byKey.get(key)
    if (
      this.#working >= this.#limits.atOnce ||
      (state && (state.working >= this.#limits.perKey || state.waiting.length > 0))
    )
      return undefined
    return this.#start(key, state ?? { working: 0, waiting: [] })
  }

  /** Refuses all waiting callers, or only those with the given key. */
  refuseWaiting(key?: string, problem: PlatformError = this.#limits.refusal()): void {
    for (const [name, state] of [...this.#byKey]) {
      if (key !== undefined && name !== key) continue
      for (const waiter of [...state.waiting]) this.#refuse(waiter, problem)
    }
  }

  #wait(key: string): Promise<() => void> {
    const state = this.#byKey.get(key) ?? { working: 0, waiting: [] }
    const { waiting, waitingPerKey, waitMs, refusal } = this.#limits
    if (this.#waiting >= waiting || state.waiting.length >= waitingPerKey) throw refusal()
    this.#byKey.set(key, state)
    return new Promise((enter, refuse) => {
      const timer = waitMs === undefined ? undefined : setTimeout(() => this.#refuse(waiter, refusal()), waitMs)
      const waiter: Waiter = { key, timer, enter, refuse }
      state.waiting.push(waiter)
      this.#waiting++
    })
  }

  #start(key: string, state: KeyState): () => void {
    state.working++
    this.#working++
    this.#byKey.set(key, state)
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      state.working--
      this.#working--
      // Re-inserting moves the key behind all keys that were added while it worked.
      this.#byKey.delete(key)
      if (state.working > 0 || state.waiting.length > 0) this.#byKey.set(key, state)
      this.#serve()
    }
  }

  #serve(): void {
    while (this.#waiting > 0 && this.#working < this.#limits.atOnce) {
      const next = this.#findNext()
      if (!next) return
      const [key, state] = next
      const waiter = state.waiting.shift()!
      clearTimeout(waiter.timer)
      this.#waiting--
      waiter.enter(this.#start(key, state))
    }
  }

  #findNext(): [string, KeyState] | undefined {
    for (const entry of this.#byKey) {
      const [, state] = entry
      if (state.waiting.length > 0 && state.working < this.#limits.perKey) return entry
    }
    return undefined
  }

  #refuse(waiter: Waiter, problem: Error): void {
    const state = this.#byKey.get(waiter.key)
    const index = state?.waiting.indexOf(waiter) ?? -1
    if (!state || index < 0) return
    state.waiting.splice(index, 1)
    clearTimeout(waiter.timer)
    this.#waiting--
    if (state.working === 0 && state.waiting.length === 0) this.#byKey.delete(waiter.key)
    waiter.refuse(problem)
  }
}

/** Creates one gate per owner of a database handle: each environment has its own gate, and so has each transaction. */
export function gatePerOwner(limits: GateLimits): (db: { readonly owner: object }) => Gate {
  const gates = new WeakMap<object, Gate>()
  return ({ owner }) => {
    const gate = gates.get(owner) ?? new Gate(limits)
    gates.set(owner, gate)
    return gate
  }
}
