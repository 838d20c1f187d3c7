import type { Environment } from '../environment.ts'
import { type Delivery, UndeliverableError } from './delivery.ts'
import { MESSAGES_WAIT, messagePolicy } from './messages.ts'
import { openMessage } from './seal.ts'
import * as store from './store.ts'
import { openDelivery } from './ways.ts'

type Claimed = Awaited<ReturnType<typeof claim>>[number]

/** As many are sent side by side; all that a process has claimed is under way, so a claim need not outlast one try. */
const AT_ONCE = 5
/** How long one try may take, and after how long a claimed message is anybody's again: its process must have died. */
const TRY_MS = 60_000
const LEASE_MS = 2 * TRY_MS
const POLL_MS = 30_000
const FIRST_WAIT_MS = 10_000
const LONGEST_WAIT_MS = 60 * 60_000

const jitter = (ms: number): number => ms * (0.75 + Math.random() * 0.5)

/** Sends what waits in the outbox, for as long as the process runs. Several processes share the work. */
export function keepDelivering(environment: Environment): { stop(): Promise<void> } {
  const delivery = openDelivery(environment)
  if (!delivery) return { stop: async () => {} }
  const { db, log, config } = environment
  let isAsked = false
  let isStopped = false
  let running: Promise<void> | undefined

  const work = async (): Promise<void> => {
    while (isAsked && !isStopped) {
      isAsked = false
      while (!isStopped && (await deliverDue(environment, delivery)) === AT_ONCE);
    }
  }
  const wake = (): void => {
    isAsked = true
    running ??= work()
      .catch((error: Error) => log.warn({ problem: error.message }, 'the outbox cannot be worked on'))
      .finally(() => {
        running = undefined
        if (isAsked && !isStopped) wake()
      })
  }

  let soon: NodeJS.Timeout | undefined
  /** Not at once, so that the time of an answer does not tell whether a message was written for it. */
  const wakeSoon = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined
      wake()
    }, jitter(100)).unref()
  }
  db.onMessage(MESSAGES_WAIT, () => !isStopped && wakeSoon())
  const poll = setInterval(wake, jitter(POLL_MS))
  poll.unref()
  wakeSoon()

  return {
    stop: async () => {
      isStopped = true
      clearInterval(poll)
      clearTimeout(soon)
      let limit: NodeJS.Timeout | undefined
      // What is not sent by then is sent again by another process, or after the next start.
      await Promise.race([running, new Promise((resolve) => (limit = setTimeout(resolve, config.STOP_SECONDS * 1000)))])
      clearTimeout(limit)
    },
  }
}

const claim = ({ db, clock }: Environment) => {
  const now = clock()
  return db.all(store.claimDue, { now, lease: new Date(now.getTime() + LEASE_MS), limit: AT_ONCE })
}

async function deliverDue(environment: Environment, delivery: Delivery): Promise<number> {
  const due = await claim(environment)
  // All of them, even where one fails to be settled: the next claim waits until nothing is under way.
  const results = await Promise.allSettled(due.map((message) => deliverOne(environment, delivery, message)))
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return due.length
}

async function deliverOne(environment: Environment, delivery: Delivery, claimed: Claimed): Promise<void> {
  const { db, clock, log } = environment
  const { id, kind, attempts, give_up_at } = claimed
  if (clock() >= give_up_at) return giveUp(environment, claimed, 'it came too late')
  try {
    await withLimit(delivery.deliver(openClaimed(environment, claimed)))
  } catch (error) {
    const problem = nameProblem(error)
    const next = new Date(clock().getTime() + waitAfter(attempts))
    if (error instanceof UndeliverableError || next >= give_up_at) return giveUp(environment, claimed, problem)
    await db.first(store.tryLater, { id, attempts, next })
    log.warn({ message: id, kind, attempts, problem }, 'a message could not be sent and will be tried again')
    return
  }
  await db.first(store.markSent, { id, now: clock() })
}

/** It grows from ten seconds to an hour. */
const waitAfter = (attempts: number): number =>
  jitter(Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 20)))

async function giveUp({ db, clock, log }: Environment, claimed: Claimed, problem: string): Promise<void> {
  const { id, kind, attempts } = claimed
  const isOurs = await db.first(store.giveUp, { id, attempts, now: clock() })
  if (isOurs) log.error({ message: id, kind, attempts, problem }, 'a message was given up and is lost')
}

function openClaimed(environment: Environment, row: Claimed) {
  const messages = environment.get(messagePolicy)
  const { id, kind, recipient, person_id: personId, created_at: createdAt } = row
  const letter = unseal(messages.sealKey, { personId, recipient }, row.sealed)
  const messageId = `<${messages.environment}.${id}.${createdAt.getTime()}@${new URL(messages.url).hostname}>`
  return { id, kind, recipient, ...letter, createdAt, messageId }
}

function unseal(key: Buffer, to: { personId: number | null; recipient: string }, sealed: Buffer | null) {
  try {
    return openMessage(key, to, sealed ?? Buffer.alloc(0))
  } catch {
    throw new UndeliverableError('its seal is broken')
  }
}

async function withLimit(delivering: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('no end in sight'), { code: 'ETIMEDOUT' })), TRY_MS)
  })
  await Promise.race([delivering, limit]).finally(() => clearTimeout(timer))
}

/** Codes alone, because a mail server's own words may repeat the message. */
function nameProblem(error: unknown): string {
  if (error instanceof UndeliverableError) return error.message
  const { code, originalCode, command, responseCode } = error as Record<string, unknown>
  const parts = [originalCode ?? code, command, responseCode].filter((part) => part !== undefined && part !== false)
  return parts.join(' ') || 'unknown'
}
