import type { Tx } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { UncertainError } from './delivery.ts'
import { messagePolicy } from './messages.ts'
import { messageIdOf, nameProblem, withLimit } from './outbox.ts'
import * as store from './store.ts'
import { openDelivery } from './ways.ts'

interface OnceMessage {
  readonly personId: number
  readonly recipient: string
  readonly kind: string
  readonly subject: string
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** `failed` means that the message certainly was not delivered, `unknown` that it may have been. */
type Outcome = 'sent' | 'failed' | 'unknown'

interface Steps {
  /**
   * Records, in its transaction, that the message is about to be sent, and returns the message; undefined if there is
   * nothing to send. It must return undefined if an earlier try was recorded and its outcome was not.
   */
  prepare(tx: Tx): Promise<OnceMessage | undefined>
  settle(tx: Tx, outcome: Outcome): Promise<void>
}

/**
 * Sends a message at most once, even if the process dies: the try is recorded before anything is sent. Throws if the
 * message was certainly not delivered, so that a job tries again.
 */
export async function sendAtMostOnce(environment: Environment, { prepare, settle }: Steps): Promise<void> {
  const { db, clock, get, name, url, log } = environment
  const delivery = openDelivery(environment)
  const prepared = await db.transaction(async (tx) => {
    const message = await prepare(tx)
    if (!message) return undefined
    const createdAt = clock()
    const { personId, recipient, kind } = message
    const row = await tx.first(store.insertTried, { person: personId, recipient, kind, now: createdAt })
    return { ...message, id: row!.id, createdAt, messageId: messageIdOf(name, row!.id, createdAt, url) }
  })
  if (!prepared) return
  const { id } = prepared
  let error: unknown
  let outcome: Outcome = 'sent'
  try {
    if (!delivery || !get(messagePolicy).isOn)
      throw Object.assign(new Error('messages are off'), { code: 'MESSAGES=off' })
    await withLimit(delivery.deliver(prepared))
  } catch (thrown) {
    error = thrown
    outcome = thrown instanceof UncertainError ? 'unknown' : 'failed'
  }
  await db.transaction(async (tx) => {
    if (outcome === 'sent') await tx.first(store.markSent, { id, now: clock() })
    if (outcome === 'failed') await tx.first(store.discard, { id })
    await settle(tx, outcome)
  })
  if (outcome === 'failed') throw error
  if (outcome === 'unknown')
    log.warn(
      { message: id, kind: prepared.kind, problem: nameProblem(error) },
      'a message may or may not have arrived; it is not sent again',
    )
}
