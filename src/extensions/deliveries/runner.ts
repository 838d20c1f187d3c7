import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Caller, upkeepAt } from '../../kernel/caller.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { Loop, waitAtMost } from '../../kernel/jobs/loop.ts'
import { hear, tellAfterCommit } from '../../kernel/jobs/wake.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { outbound, send } from '../../kernel/outbound/outbound.ts'
import { noteFailing, noteTaken, switchOff } from '../plugins/addresses.ts'
import { findHosted, type Hosted, headersFor } from '../plugins/hosted.ts'
import { giveUpAt, isFailingTooLong, judge, REPLACING, type State, waitAfter } from './rules.ts'
import * as store from './store.ts'

/** Topic that every process hears when something is to be delivered. */
export const DELIVERIES = 'deliveries'

/** In case nobody tells that something waits, and for what waits for its time. */
const POLL_MS = 1000
/** A lane whose process gives no sign of life is anybody's again. */
const LEASE_MS = 6000
const SEND_MS = 15_000
/** At once: in one process, to one plugin, and to one that does nothing but fail. */
const AT_ONCE = 256
const AT_ONCE_OF_PLUGIN = 32
const AT_ONCE_OF_FAILING = 2
/** Where something fails that is not the plugin's fault. */
const PAUSE_MS = 30_000
const KEPT_ANSWER_LENGTH = 4096
const NOT_TAKEN =
  'The plugin takes nothing for now: it is not active, or this address is switched off. Set that right, then replay.'

type Lane = RowOf<typeof store.claim>
type Head = RowOf<typeof store.readHeads>
/** A delivery that this process has taken. */
interface Taken extends Lane {
  readonly id: number
  readonly slot: number
  readonly purpose: Hosted['purpose']
  readonly webhook_id: string
  readonly body: string
  readonly attempts: number
  readonly tries: number
  readonly give_up_at: Date | null
  readonly is_replaced: boolean
  readonly failing_since: Date | null
}

/** What became of a delivery. */
interface Outcome {
  readonly state: State
  readonly problem?: string | null
  /** When it is tried again. */
  readonly due_at?: Date
  readonly give_up_at?: Date
  readonly number?: number
  readonly at?: Date
  readonly uri?: string
  readonly took_ms?: number
  readonly status?: number | undefined
  readonly answer?: string
}

/** A lane that is given back; without a state where nothing waited in it. */
type Settled = Lane & Partial<Outcome> & Partial<Pick<Taken, 'id' | 'slot' | 'purpose'>>

/** Delivers for as long as the process runs. Several processes share the work. */
class Runner {
  readonly #environment: Environment
  readonly #loop: Loop
  readonly #running = new Map<Lane, Promise<void>>()
  readonly #settled: Settled[] = []
  readonly #heartbeat: NodeJS.Timeout
  readonly #cut = new AbortController()
  #lastSettle: Promise<void> | undefined
  #nextSettle: Promise<void> | undefined
  #closing: Promise<void> | undefined

  constructor(environment: Environment) {
    this.#environment = environment
    // What is opened first is closed last.
    environment.get(outbound)
    this.#loop = new Loop({
      everyMs: POLL_MS,
      work: () => this.#claimAll(),
      onProblem: (error) => this.#warn('nothing can be delivered for now', error),
    })
    hear(environment.db, DELIVERIES, () => this.#loop.wake(), environment.stopping)
    this.#heartbeat = setInterval(() => this.#extendLeases(), LEASE_MS / 3).unref()
    environment.stopping.addEventListener('abort', () => void this.close())
    this.#loop.wake()
  }

  /** What is under way may end; what does not in time is sent again by another process. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    await this.#loop.stop()
    await waitAtMost(this.#environment.config.STOP_SECONDS * 1000, Promise.all(this.#running.values()))
    this.#cut.abort()
    await Promise.all(this.#running.values())
    clearInterval(this.#heartbeat)
  }

  #warn(text: string, { message }: Error): void {
    this.#environment.log.warn({ problem: message }, text)
  }

  #in(ms: number): Date {
    return new Date(this.#environment.clock().getTime() + ms)
  }

  async #claimAll(): Promise<void> {
    const { db, clock } = this.#environment
    for (;;) {
      const limit = AT_ONCE - this.#running.size
      if (limit === 0 || this.#loop.isStopped) return
      const lanes = await db.all(store.claim, {
        now: clock(),
        lease: this.#in(LEASE_MS),
        limit,
        most: AT_ONCE_OF_PLUGIN,
        mostFailing: AT_ONCE_OF_FAILING,
      })
      if (lanes.length === 0) return
      const heads = await this.#readHeads(lanes)
      for (const lane of lanes) this.#launch(lane, heads.get(nameOf(lane)))
      if (lanes.length < limit) return
    }
  }

  /** After the claim has committed: what came into the lane before it can be seen now, and what comes after it leaves the first alone. */
  async #readHeads(lanes: readonly Lane[]): Promise<Map<string, Head>> {
    const rows = await this.#environment.db.all(store.readHeads, { ...keysOf(lanes), replacing: REPLACING })
    return new Map(rows.map((row) => [nameOf(row), row]))
  }

  #launch(lane: Lane, head: Head | undefined): void {
    const taken = head && head.id !== null ? ({ ...lane, ...head } as Taken) : undefined
    const done = this.#work(lane, taken)
      .catch((error: Error) => this.#warn('a delivery cannot be settled, and will be sent again', error))
      .finally(() => {
        this.#running.delete(lane)
        this.#loop.wake()
      })
    this.#running.set(lane, done)
  }

  async #work(lane: Lane, taken: Taken | undefined): Promise<void> {
    if (!taken) return this.#settle(lane)
    const { id, slot, purpose } = taken
    const outcome = await this.#deliver(taken).catch((error: Error): Outcome => {
      this.#warn('a delivery cannot be sent for now', error)
      return { state: 'waiting', due_at: this.#in(PAUSE_MS), problem: null }
    })
    return this.#settle({ ...lane, id, slot, purpose, ...outcome })
  }

  async #deliver(taken: Taken): Promise<Outcome> {
    const environment = this.#environment
    const { db, clock } = environment
    if (taken.is_replaced) return { state: 'replaced', problem: null }
    const { plugin_id: pluginId, purpose, webhook_id: webhookId, body } = taken
    const hosted = await findHosted(environment, db, { pluginId, purpose })
    if (!hosted) return { state: 'failed', problem: NOT_TAKEN }
    const at = clock()
    const startedMs = performance.now()
    const { uri } = hosted
    const headers = headersFor(hosted, { id: webhookId, at, body })
    const outcome = await send(environment, { uri, headers, body, timeoutMs: SEND_MS, signal: this.#cut.signal })
    if (outcome.failure === 'stopped') return { state: 'waiting', due_at: clock(), problem: null }
    const { isTaken, isGone, problem } = judge(outcome)
    const tried = {
      problem,
      number: taken.attempts + 1,
      at,
      uri,
      took_ms: Math.round(performance.now() - startedMs),
      status: outcome.status,
      ...('text' in outcome && { answer: keptOf(outcome.text, secretsIn(hosted, headers)) }),
      give_up_at: giveUpAt(at),
    }
    if (isTaken) {
      if (taken.failing_since) await noteTaken(db, hosted)
      return { ...tried, state: 'delivered' }
    }
    const address = await this.#noteFailure(hosted, isGone)
    // Switched off for another one, or set anew: the next look tells which.
    const due = address === 'changed' ? clock() : this.#in(waitAfter(taken.tries + 1, Math.random()))
    const isOver = address === 'off' || due > (taken.give_up_at ?? tried.give_up_at)
    return isOver ? { ...tried, state: 'failed' } : { ...tried, state: 'waiting', due_at: due }
  }

  /** Says what the address is after that. */
  async #noteFailure(hosted: Hosted, isGone: boolean): Promise<'failing' | 'off' | 'changed'> {
    const { db, clock, get } = this.#environment
    const who: Caller = upkeepAt(clock())
    const since = await noteFailing(db, who, hosted)
    if (!since) return 'changed'
    if (!isGone && !isFailingTooLong(since, who.at)) return 'failing'
    const reason = isGone ? 'It answered 410 Gone' : 'For five days it did nothing but fail'
    await db.transaction(async (tx) => {
      await switchOff(tx, who, { ...hosted, reason }, get(messagePolicy))
      await tx.all(store.hurryLanes, { plugin: hosted.pluginId, purpose: hosted.purpose, now: who.at })
      tellAfterCommit(tx, DELIVERIES)
    })
    this.#environment.log.warn(
      { plugin: hosted.clientId, purpose: hosted.purpose, reason },
      'an address was switched off',
    )
    return 'off'
  }

  /** One transaction at a time: those that end meanwhile are written together, because each commit waits for the disk. */
  #settle(what: Settled): Promise<void> {
    this.#settled.push(what)
    this.#nextSettle ??= this.#settleNext(this.#lastSettle)
    return this.#nextSettle
  }

  async #settleNext(last: Promise<void> | undefined): Promise<void> {
    await nextTurn()
    await last?.catch(() => {})
    const settled = this.#settled.splice(0)
    this.#lastSettle = this.#nextSettle
    this.#nextSettle = undefined
    try {
      await this.#write(settled)
    } catch (error) {
      if (settled.length === 1) throw error
      // One that cannot be written must not keep the others from it.
      for (const one of settled)
        await this.#write([one]).catch((problem: Error) => this.#warn('a delivery cannot be settled', problem))
    }
  }

  #write(settled: readonly Settled[]): Promise<unknown> {
    const { db, clock } = this.#environment
    return db.transaction(async (tx) => {
      await tx.all(store.lockLanes, keysOf(settled))
      await tx.all(store.settle, { rows: JSON.stringify(settled), replacing: REPLACING, now: clock() })
    })
  }

  #extendLeases(): void {
    const lanes = [...this.#running.keys()]
    if (lanes.length === 0) return
    const what = { ...keysOf(lanes), tokens: lanes.map(({ token }) => token), lease: this.#in(LEASE_MS) }
    // Where it fails, the lease ends, and what is sent now is sent again.
    this.#environment.db.all(store.extendLeases, what).catch(() => {})
  }
}

/** What a plugin may answer with that nobody is to read in the log: some show the request that they got. */
const secretsIn = ({ clientId, secrets }: Hosted, headers: Readonly<Record<string, string>>): string[] => [
  ...secrets.flatMap((secret) => [secret, Buffer.from(`${clientId}:${secret}`).toString('base64')]),
  ...headers['webhook-signature']!.split(' '),
]

/** PostgreSQL has no text with a zero or half a character in it. */
function keptOf(answer: string, secrets: readonly string[]): string {
  // Before it is cut: half a secret would not be found.
  const shown = secrets.reduce(
    (text, secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)].reduce(blot, text),
    answer,
  )
  return shown.slice(0, KEPT_ANSWER_LENGTH).replaceAll('\0', '').toWellFormed()
}
const blot = (text: string, secret: string): string => text.replaceAll(secret, '***')

const nameOf = ({ plugin_id, subject }: { plugin_id: number; subject: string }): string => `${plugin_id} ${subject}`
const keysOf = (lanes: readonly Lane[]) => ({
  plugins: lanes.map(({ plugin_id }) => plugin_id),
  subjects: lanes.map(({ subject }) => subject),
})

export const deliveryRunner = service(
  (environment) => new Runner(environment),
  (runner) => runner.close(),
)
