import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Caller, upkeepAt } from '../../kernel/caller.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { tellAfterCommit } from '../../kernel/jobs/wake.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import { send } from '../../kernel/outbound/outbound.ts'
import { QueueSender } from '../../kernel/outbound/queue-sender.ts'
import { recordFailure, recordSuccess, switchOff, tellFailing } from '../plugins/addresses.ts'
import { findHosted, headersFor, type PluginEndpoint } from '../plugins/hosted.ts'
import {
  type DeliveryState,
  giveUpAt,
  isFailingAWhile,
  isFailingTooLong,
  judge,
  REPLACING,
  waitAfter,
} from './rules.ts'
import * as store from './store.ts'

/** Name of the notification that wakes the runners of all processes when a delivery is queued. */
export const DELIVERIES = 'deliveries'

/**
 * Duration of a lane's lease in milliseconds; a lane is the queue of one plugin and one subject. The process extends
 * the lease regularly; if it stops doing so, the lease ends and other processes can claim the lane.
 */
const LEASE_MS = 6000
const SEND_MS = 15_000
/** Maximum number of parallel deliveries per process. */
const MAX_RUNNING = 256
/** Maximum number of parallel deliveries per plugin. */
const MAX_RUNNING_PER_PLUGIN = 32
/** Maximum number of parallel deliveries per plugin while one of its addresses is failing. */
const MAX_RUNNING_PER_FAILING_PLUGIN = 2
/** Delay in milliseconds before a retry, if the delivery failed because of the platform itself and not the plugin. */
const PAUSE_MS = 30_000
const STORED_ANSWER_LENGTH = 4096
const NOT_TAKEN = 'The plugin receives no deliveries: it is not active, or this URL is disabled. Fix that, then resend.'

type Lane = RowOf<typeof store.claim>
type LaneHead = RowOf<typeof store.readHeads>
/** A lane that this process has claimed, with its first waiting delivery. */
interface ClaimedDelivery extends Lane {
  readonly id: number
  readonly slot: number
  readonly purpose: PluginEndpoint['purpose']
  readonly webhook_id: string
  readonly body: string
  readonly attempts: number
  readonly tries: number
  readonly give_up_at: Date | null
  readonly is_replaced: boolean
  readonly failing_since: Date | null
}

/** The outcome of an attempt. Fields about the attempt are absent if nothing was sent. */
interface Outcome {
  readonly state: DeliveryState
  readonly problem?: string | null
  /** The time of the next attempt. */
  readonly due_at?: Date
  readonly give_up_at?: Date
  readonly number?: number
  readonly at?: Date
  readonly uri?: string
  readonly took_ms?: number
  readonly status?: number | undefined
  readonly answer?: string
}

/** A lane to release, with the outcome of its delivery; `state` is absent if no delivery was waiting in the lane. */
type SettledLane = Lane & Partial<Outcome> & Partial<Pick<ClaimedDelivery, 'id' | 'slot' | 'purpose'>>

/** Sends deliveries while the process runs. The runners of several processes share the work. */
class Runner {
  readonly #environment: Environment
  readonly #sender: QueueSender
  /** The claimed lanes. */
  readonly #lanes = new Set<Lane>()
  /** By address: the start of the series of failures of which the operators were told. */
  readonly #toldSince = new Map<string, number>()
  readonly #settled: SettledLane[] = []
  readonly #heartbeat: NodeJS.Timeout
  #lastSettle: Promise<void> | undefined
  #nextSettle: Promise<void> | undefined

  constructor(environment: Environment) {
    this.#environment = environment
    this.#sender = new QueueSender(environment, {
      topic: DELIVERIES,
      most: MAX_RUNNING,
      claim: (limit) => this.#claim(limit),
      claimProblem: 'claiming due deliveries failed',
    })
    this.#heartbeat = setInterval(() => this.#extendLeases(), LEASE_MS / 3).unref()
  }

  async close(): Promise<void> {
    await this.#sender.close()
    clearInterval(this.#heartbeat)
  }

  #in(ms: number): Date {
    return new Date(this.#environment.clock().getTime() + ms)
  }

  async #claim(limit: number): Promise<boolean> {
    const { db, clock } = this.#environment
    const lanes = await db.all(store.claim, {
      now: clock(),
      lease: this.#in(LEASE_MS),
      limit,
      most: MAX_RUNNING_PER_PLUGIN,
      mostFailing: MAX_RUNNING_PER_FAILING_PLUGIN,
    })
    if (lanes.length === 0) return false
    const heads = await this.#readHeads(lanes)
    for (const lane of lanes) this.#launch(lane, heads.get(nameOf(lane)))
    return lanes.length === limit
  }

  /**
   * Reads the first delivery of each claimed lane. The claim has committed, so every delivery queued before it is
   * visible, and while the lane is leased nothing else changes its first delivery.
   */
  async #readHeads(lanes: readonly Lane[]): Promise<Map<string, LaneHead>> {
    const rows = await this.#environment.db.all(store.readHeads, { ...keysOf(lanes), replacing: REPLACING })
    return new Map(rows.map((row) => [nameOf(row), row]))
  }

  #launch(lane: Lane, head: LaneHead | undefined): void {
    const claimed = head && head.id !== null ? ({ ...lane, ...head } as ClaimedDelivery) : undefined
    this.#lanes.add(lane)
    this.#sender.launch(this.#work(lane, claimed), 'settling a delivery failed; it will be sent again', () => {
      this.#lanes.delete(lane)
      this.#sender.wake()
    })
  }

  async #work(lane: Lane, claimed: ClaimedDelivery | undefined): Promise<void> {
    if (!claimed) return this.#settle(lane)
    const { id, slot, purpose } = claimed
    const outcome = await this.#deliver(claimed).catch((error: Error): Outcome => {
      this.#sender.warn('sending a delivery failed; it will be retried', error)
      return { state: 'waiting', due_at: this.#in(PAUSE_MS), problem: null }
    })
    return this.#settle({ ...lane, id, slot, purpose, ...outcome })
  }

  async #deliver(claimed: ClaimedDelivery): Promise<Outcome> {
    const environment = this.#environment
    const { db, clock } = environment
    if (claimed.is_replaced) return { state: 'replaced', problem: null }
    const { plugin_id: pluginId, purpose, webhook_id: webhookId, body } = claimed
    const hosted = await findHosted(db, { pluginId, purpose }, environment)
    if (!hosted) return { state: 'failed', problem: NOT_TAKEN }
    const at = clock()
    const startedMs = performance.now()
    const { uri } = hosted
    const headers = headersFor(hosted, { id: webhookId, at, body })
    const outcome = await send({ uri, headers, body, timeoutMs: SEND_MS, signal: this.#sender.signal }, environment)
    if (outcome.failure === 'stopped') return { state: 'waiting', due_at: clock(), problem: null }
    const { isTaken, isGone, problem } = judge(outcome)
    const tried = {
      problem,
      number: claimed.attempts + 1,
      at,
      uri,
      took_ms: Math.round(performance.now() - startedMs),
      status: outcome.status,
      ...('text' in outcome && { answer: storedAnswer(outcome.text, secretsIn(hosted, headers)) }),
      give_up_at: giveUpAt(at),
    }
    if (isTaken) {
      if (claimed.failing_since) await recordSuccess(db, hosted)
      return { ...tried, state: 'delivered' }
    }
    const address = await this.#noteFailure(hosted, isGone)
    // `changed`: the address was replaced or switched off during the attempt. Retry immediately, with the current
    // address.
    const due = address === 'changed' ? clock() : this.#in(waitAfter(claimed.tries + 1, Math.random()))
    const isOver = address === 'off' || due > (claimed.give_up_at ?? tried.give_up_at)
    return isOver ? { ...tried, state: 'failed' } : { ...tried, state: 'waiting', due_at: due }
  }

  /** Notifies the operators of the plugin. This process does so once; the key of the notification covers the others. */
  async #tellFailing(hosted: PluginEndpoint, since: Date, at: Date): Promise<void> {
    const { db, get } = this.#environment
    const { pluginId, purpose } = hosted
    const address = `${pluginId} ${purpose}`
    if (this.#toldSince.get(address) === since.getTime()) return
    await db.transaction((tx) => tellFailing(tx, { ...hosted, since, at }, get(messagePolicy)))
    this.#toldSince.set(address, since.getTime())
  }

  /**
   * Records the failure of an address, switches the address off if it has failed for too long, and returns its state.
   */
  async #noteFailure(hosted: PluginEndpoint, isGone: boolean): Promise<'failing' | 'off' | 'changed'> {
    const { db, clock, get } = this.#environment
    const who: Caller = upkeepAt(clock())
    const since = await recordFailure(db, who, hosted)
    if (!since) return 'changed'
    if (!isGone && !isFailingTooLong(since, who.at)) {
      if (isFailingAWhile(since, who.at)) await this.#tellFailing(hosted, since, who.at)
      return 'failing'
    }
    const reason = isGone ? 'The plugin responded with 410 Gone' : 'All deliveries failed for five days'
    await db.transaction(async (tx) => {
      await switchOff(tx, who, { ...hosted, reason }, get(messagePolicy))
      await tx.all(store.makeLanesDue, { plugin: hosted.pluginId, purpose: hosted.purpose, now: who.at })
      tellAfterCommit(tx, DELIVERIES)
    })
    this.#environment.log.warn(
      { plugin: hosted.clientId, purpose: hosted.purpose, reason },
      'address of a plugin switched off',
    )
    return 'off'
  }

  /**
   * Queues an outcome to be written. Only one transaction writes outcomes at a time, and outcomes that arrive meanwhile
   * are all written by the next one: each commit waits for the disk, so few commits are faster.
   */
  #settle(what: SettledLane): Promise<void> {
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
      // Write the outcomes one by one, so that one that cannot be written does not block the others.
      for (const one of settled)
        await this.#write([one]).catch((problem: Error) => this.#sender.warn('settling a delivery failed', problem))
    }
  }

  #write(settled: readonly SettledLane[]): Promise<unknown> {
    const { db, clock } = this.#environment
    return db.transaction(async (tx) => {
      await tx.all(store.lockLanes, keysOf(settled))
      await tx.all(store.settle, { rows: JSON.stringify(settled), replacing: REPLACING, now: clock() })
    })
  }

  #extendLeases(): void {
    const lanes = [...this.#lanes]
    if (lanes.length === 0) return
    const what = { ...keysOf(lanes), tokens: lanes.map(({ token }) => token), lease: this.#in(LEASE_MS) }
    // If extending fails, the leases end and the deliveries are sent again.
    this.#environment.db.all(store.extendLeases, what).catch(() => {})
  }
}

/** Lists the secrets to remove from a response before it is stored, because some plugins echo the request. */
const secretsIn = ({ clientId, secrets }: PluginEndpoint, headers: Readonly<Record<string, string>>): string[] => [
  ...secrets.flatMap((secret) => [secret, Buffer.from(`${clientId}:${secret}`).toString('base64')]),
  ...headers['webhook-signature']!.split(' '),
]

/**
 * Returns the part of a response that is stored: without secrets, shortened, and without NUL and unpaired surrogates,
 * which PostgreSQL text does not accept.
 */
function storedAnswer(answer: string, secrets: readonly string[]): string {
  // Mask secrets before shortening the text: a secret cut in half would not be recognised.
  const shown = secrets.reduce(
    (text, secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)].reduce(mask, text),
    answer,
  )
  return shown.slice(0, STORED_ANSWER_LENGTH).replaceAll('\0', '').toWellFormed()
}
const mask = (text: string, secret: string): string => text.replaceAll(secret, '***')

const nameOf = ({ plugin_id, subject }: { plugin_id: number; subject: string }): string => `${plugin_id} ${subject}`
const keysOf = (lanes: readonly Lane[]) => ({
  plugins: lanes.map(({ plugin_id }) => plugin_id),
  subjects: lanes.map(({ subject }) => subject),
})

export const deliveryRunner = service(
  (environment) => new Runner(environment),
  (runner) => runner.close(),
)
