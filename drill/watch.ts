import { setTimeout as delay } from 'node:timers/promises'

/** Kinds of write that the load sends. Writes work again after a fault when each kind has succeeded. */
export const KINDS = ['sign-in', 'bucket', 'progress', 'statement', 'request'] as const
export type Kind = (typeof KINDS)[number]

export interface Recovery {
  readonly name: string
  /** The longest time without a successful write of some kind since the fault. */
  readonly writeGapMs: number
  /** Number of writes that got a 5xx, a 429 or no answer since the fault. */
  readonly refused: number
  /** Number of writes since the fault that were acknowledged after exactly one retry. */
  readonly retriedOnce: number
  /** Number of writes since the fault that needed more than one retry. */
  readonly retriedMore: number
}

interface Fault {
  readonly name: string
  readonly startedMs: number
  refusedMs: number
  writeGapMs: number
  refused: number
  retriedOnce: number
  retriedMore: number
}

const POLL_MS = 50

/** Observes the writes of the load, and tells when they work again after a fault. */
export class Watch {
  readonly acknowledged: Record<Kind, number> = { 'sign-in': 0, bucket: 0, progress: 0, statement: 0, request: 0 }
  /** When the last successful write of each kind was sent and answered. */
  readonly #last = new Map<Kind, { sentMs: number; atMs: number }>()
  /** Start times of the writes that are not acknowledged yet. */
  readonly #inFlight = new Set<{ readonly startedMs: number }>()
  readonly #settleMs: number
  #fault: Fault | undefined
  refused = 0

  /** Writes work again when there has been no gap and no refusal for `settleMs`. */
  constructor(settleMs: number) {
    this.#settleMs = settleMs
  }

  /** Notes that a write begins. Returns the functions that note its outcome. */
  begin(kind: Kind) {
    const write = { startedMs: performance.now() }
    this.#inFlight.add(write)
    return {
      refuse: () => {
        this.refused++
        if (!this.#fault) return
        this.#fault.refused++
        this.#fault.refusedMs = performance.now()
      },
      acknowledge: (sentMs: number, tries: number) => {
        this.acknowledged[kind]++
        if (this.#fault) {
          this.#fault.writeGapMs = Math.max(this.#fault.writeGapMs, this.#gapOf(kind, this.#fault))
          if (tries === 2) this.#fault.retriedOnce++
          if (tries > 2) this.#fault.retriedMore++
        }
        this.#last.set(kind, { sentMs, atMs: performance.now() })
      },
      end: () => this.#inFlight.delete(write),
    }
  }

  #gapOf(kind: Kind, { startedMs }: Fault): number {
    return performance.now() - Math.max(startedMs, this.#last.get(kind)?.atMs ?? 0)
  }

  /** Notes that a fault begins now. Returns when writes work again, and rejects if they do not in time. */
  async recovered(name: string, timeoutMs: number): Promise<Recovery> {
    if (this.#fault) throw new Error(`${name} begins before writes have recovered from ${this.#fault.name}`)
    const startedMs = performance.now()
    const fault = { name, startedMs, refusedMs: startedMs, writeGapMs: 0, refused: 0, retriedOnce: 0, retriedMore: 0 }
    this.#fault = fault
    try {
      for (;;) {
        await delay(POLL_MS)
        const missing = KINDS.filter((kind) => !this.#works(kind, fault))
        if (missing.length === 0 && this.#isQuiet(fault)) return recoveryFrom(fault)
        if (performance.now() - startedMs > timeoutMs)
          throw new Error(`${name}: after ${timeoutMs} ms, ${missing.join(', ') || 'some writes'} still failed`)
      }
    } finally {
      this.#fault = undefined
    }
  }

  #works(kind: Kind, fault: Fault): boolean {
    return (this.#last.get(kind)?.sentMs ?? 0) >= fault.startedMs && this.#gapOf(kind, fault) < this.#settleMs
  }

  /** True if nothing was refused in the last `settleMs`, and no write has been under way for longer. */
  #isQuiet({ refusedMs }: Fault): boolean {
    const sinceMs = performance.now() - this.#settleMs
    return refusedMs <= sinceMs && [...this.#inFlight].every(({ startedMs }) => startedMs > sinceMs)
  }
}

const recoveryFrom = ({ name, writeGapMs, refused, retriedOnce, retriedMore }: Fault): Recovery => ({
  name,
  writeGapMs: Math.round(writeGapMs),
  refused,
  retriedOnce,
  retriedMore,
})
