import { randomBytes } from 'node:crypto'
import { type Fleet, RateLimiter } from '../bounds/rate-limiter.ts'
import type { Config } from '../config.ts'
import { notify } from '../database/listener.ts'
import { type Environment, type Service, service } from '../environment.ts'

/** The topic of the messages with which processes find each other and report what they took. */
const LIMITS = 'limits'

/** Reports of this time are gathered into one message. */
const GATHER_MS = 50
/** How often a process that knows others reports its presence, and after how long without it one counts as gone. */
const PRESENCE_MS = 10_000
const GONE_MS = 3 * PRESENCE_MS
/** A message of the database has at most 8,000 bytes. */
const MESSAGE_BYTES = 7_000
/** Maximum number of keys that wait for a message. More than these are not reported. */
const MOST_WAITING = 10_000

/** The name of a limiter, a key, and the number of tokens that were taken. */
type Use = readonly [limiter: string, key: string, count: number]

interface LimitsMessage {
  readonly from: string
  /** True if the sender has just begun to listen, so the others answer. */
  readonly isNew?: boolean
  readonly uses?: readonly Use[]
}

interface DeclaredLimit {
  readonly name: string
  readonly read: (config: Config) => { readonly perSecond: number; readonly burst: number }
}
const declared: DeclaredLimit[] = []

/**
 * Declares a rate limit that all processes of an environment apply together. Its keys are sent to the other processes,
 * so they must not be secret.
 */
export function rateLimit(name: string, read: DeclaredLimit['read']): Service<RateLimiter> {
  if (declared.some((limit) => limit.name === name))
    throw new Error(`There are two rate limits with the name '${name}'`)
  declared.push({ name, read })
  return service(({ get }) => get(sharedLimits).limiters.get(name)!)
}

/**
 * The rate limits of an environment, and the messages with which its processes share them. A lost message only loosens
 * the limits. A process that hears of no other sends one message when it begins to listen, and none after that.
 */
class SharedLimits implements Fleet {
  /** All limits, also those that this process has not used yet, because it must know what was taken elsewhere. */
  readonly limiters: ReadonlyMap<string, RateLimiter>
  processes = 1
  readonly #environment: Environment
  readonly #id = randomBytes(9).toString('base64url')
  readonly #heardAtMs = new Map<string, number>()
  readonly #presence: NodeJS.Timeout
  #waiting = new Map<string, Use>()
  #gathering: NodeJS.Timeout | undefined
  #isListening = false

  constructor(environment: Environment) {
    const { db, config } = environment
    this.#environment = environment
    this.limiters = new Map(
      declared.map(({ name, read }) => {
        const { perSecond, burst } = read(config)
        return [name, new RateLimiter(name, perSecond, burst, this)]
      }),
    )
    db.onMessage(LIMITS, (message) => this.#hear(message as unknown as LimitsMessage))
    db.onListening((isListening) => {
      this.#isListening = isListening
      this.#waiting.clear()
      if (isListening) void this.#send({ isNew: true })
    })
    this.#presence = setInterval(() => this.#reportPresence(), PRESENCE_MS).unref()
  }

  tell(limiter: string, key: string, count: number): void {
    const name = `${limiter} ${key}`
    const sum = count + (this.#waiting.get(name)?.[2] ?? 0)
    if (sum === 0) this.#waiting.delete(name)
    else if (this.#waiting.size < MOST_WAITING) this.#waiting.set(name, [limiter, key, sum])
    this.#gathering ??= setTimeout(() => void this.#flush(), GATHER_MS).unref()
  }

  close(): void {
    clearInterval(this.#presence)
    clearTimeout(this.#gathering)
  }

  #hear({ from, isNew, uses = [] }: LimitsMessage): void {
    if (from === this.#id) return
    this.#heardAtMs.set(from, performance.now())
    this.processes = this.#heardAtMs.size + 1
    if (isNew) void this.#send({})
    const nowMs = this.#environment.clock().getTime()
    for (const [limiter, key, count] of uses) this.limiters.get(limiter)?.takeElsewhere(key, nowMs, count)
  }

  #reportPresence(): void {
    for (const [id, heardAtMs] of this.#heardAtMs)
      if (performance.now() - heardAtMs > GONE_MS) this.#heardAtMs.delete(id)
    this.processes = this.#heardAtMs.size + 1
    if (this.processes > 1) void this.#send({})
  }

  /** Sends what was gathered. A slow database delays the next message, so that messages do not pile up. */
  async #flush(): Promise<void> {
    const uses = [...this.#waiting.values()]
    this.#waiting = new Map()
    for (const part of splitBySize(uses)) await this.#send({ uses: part })
    this.#gathering = this.#waiting.size > 0 ? setTimeout(() => void this.#flush(), GATHER_MS).unref() : undefined
  }

  async #send(message: Omit<LimitsMessage, 'from'>): Promise<void> {
    if (!this.#isListening) return
    // Without the message the limits are only looser for a moment, so a failure is not reported.
    await notify(this.#environment.db, LIMITS, { ...message, from: this.#id }).catch(() => {})
  }
}

/** Divides uses into parts that each fit into a message. */
function splitBySize(uses: readonly Use[]): Use[][] {
  const parts: Use[][] = []
  let bytes = MESSAGE_BYTES
  for (const use of uses) {
    const size = Buffer.byteLength(JSON.stringify(use)) + 1
    bytes += size
    if (bytes > MESSAGE_BYTES) {
      parts.push([])
      bytes = size
    }
    parts.at(-1)!.push(use)
  }
  return parts
}

export const sharedLimits = service(
  (environment) => new SharedLimits(environment),
  (limits) => limits.close(),
)
