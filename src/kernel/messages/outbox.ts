import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import type { Environment } from '../environment.ts'
import { growing, HopelessError, type Job, type JobKind } from '../jobs/jobs.ts'
import { type Message, UncertainError } from './delivery.ts'
import { type MessageJob, type MessagePolicy, messagePolicy, SEND_MESSAGE } from './messages.ts'
import { openMessage } from './seal.ts'
import * as store from './store.ts'
import { openDelivery } from './ways.ts'

/** Time limit of one try. The lease of a job that sends is longer, so it never has to be extended. */
export const TRY_MS = 60_000

/** Sends messages from the outbox. A message is given up after a day, or at its own deadline. */
const sendMessageJob: JobKind<Environment, MessageJob> = {
  ...SEND_MESSAGE,
  atOnce: 5,
  leaseMs: 2 * TRY_MS,
  waits: growing(10_000, 60 * 60_000),
  run: async (job, environment) => {
    const { db, clock, get } = environment
    const row = await findMessage(job, db)
    if (!row) return
    const delivery = openDelivery(environment)
    if (!delivery) throw Object.assign(new Error('messages are off'), { code: 'MESSAGES=off' })
    await withLimit(delivery.deliver(unseal(row, get(messagePolicy))))
    await db.transaction(async (tx) => {
      await tx.first(store.markSent, { id: row.id, now: clock() })
      await job.complete(tx)
    })
  },
  nameProblem,
  onRetry: ({ payload: { message, kind }, attempts }, problem, { log }) =>
    log.warn({ message, kind, attempts, problem }, 'sending a message failed; it will be retried'),
  onGivenUp: async (tx, { payload: { message, kind }, attempts }, problem, { clock }) => {
    if (message !== null) await tx.first(store.giveUp, { id: message, now: clock() })
    return { fields: { message, kind, attempts, problem }, text: 'a message was given up and is lost' }
  },
}

export const messageJobs: readonly JobKind<Environment>[] = [sendMessageJob]

/**
 * Finds the message of a job; undefined for a dummy job, for a message already sent, and if the recipient was deleted.
 */
const findMessage = async ({ payload: { message } }: Job<MessageJob>, db: Db) =>
  message === null ? undefined : db.first(store.findWaiting, { id: message })

export const messageIdOf = (environment: string, id: number, createdAt: Date, url: string): string =>
  `<${environment}.${id}.${createdAt.getTime()}@${new URL(url).hostname}>`

function unseal(row: RowOf<typeof store.findWaiting>, { sealKeys, environment, url }: MessagePolicy): Message {
  const { id, kind, recipient, person_id: personId, created_at: createdAt } = row
  const messageId = messageIdOf(environment, id, createdAt, url)
  try {
    const letter = openMessage(sealKeys, { personId, recipient }, row.sealed ?? Buffer.alloc(0))
    return { id, kind, recipient, ...letter, createdAt, messageId }
  } catch {
    throw new HopelessError('its seal is broken')
  }
}

/** Ends waiting after the time limit. The channel may then still be sending. */
export async function withLimit(delivering: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new UncertainError({ code: 'ETIMEDOUT' })), TRY_MS)
  })
  await Promise.race([delivering, limit]).finally(() => clearTimeout(timer))
}

/** Describes an error by its codes only, because the text of a mail server may quote the message. */
export function nameProblem(error: unknown): string {
  if (error instanceof HopelessError) return error.message
  const { code, originalCode, command, responseCode } = error as Record<string, unknown>
  const parts = [originalCode ?? code, command, responseCode].filter((part) => part !== undefined && part !== false)
  return parts.join(' ') || 'unknown'
}
