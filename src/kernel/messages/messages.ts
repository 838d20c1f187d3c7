import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import { service } from '../environment.ts'
import { enqueue, type JobName } from '../jobs/jobs.ts'
import { sealMessage } from './seal.ts'
import * as store from './store.ts'

export interface MessageJob {
  /** Id of the message; null for a dummy job without a message. */
  readonly message: number | null
  /** Purpose of the message, for the log. */
  readonly kind: string
}
export const SEND_MESSAGE: JobName<MessageJob> = { name: 'message' }

/** Settings for sending messages to people from one environment. */
export interface MessagePolicy {
  /** If false, no messages are written, and administrators have to pass on links to people themselves. */
  readonly isOn: boolean
  readonly environment: EnvironmentName
  /** Base URL for links in messages. */
  readonly url: string
  /** Keys that messages may be encrypted with; the first encrypts new ones. */
  readonly sealKeys: readonly Buffer[]
}

export interface NewMessage {
  /** Null if the person was deleted. Then the address is erased once the message is sent or given up. */
  readonly personId: number | null
  readonly recipient: string
  /** Purpose of the message, for the log and for statistics, such as `password-reset`. */
  readonly kind: string
  readonly subject: string
  readonly text: string
  /** Deadline of delivery; one day by default. */
  readonly until?: Date
}

const DAY_MS = 24 * 60 * 60_000

/**
 * Writes a message to the outbox, in the transaction of the change that the message is about. A job sends it after the
 * commit. For a person who does not exist only a dummy job is enqueued, so that the response time does not reveal
 * whether the person exists.
 */
export async function sendMessage(tx: Tx, who: Caller, what: NewMessage, policy: MessagePolicy): Promise<void> {
  if (!policy.isOn) return
  const { personId, recipient, kind, subject, text } = what
  const sealed = sealMessage(policy.sealKeys[0]!, { personId, recipient }, { subject, text })
  const message = { kind, recipient, sealed, now: who.at }
  const row =
    personId === null
      ? await tx.first(store.insertForDeleted, message)
      : await tx.first(store.insertMessage, { person: personId, ...message })
  await enqueue(tx, SEND_MESSAGE, {
    payload: { message: row?.id ?? null, kind },
    at: who.at,
    until: what.until ?? new Date(who.at.getTime() + DAY_MS),
  })
}

const EXPORTED_AT_ONCE = 500

export async function* exportMessages(db: Db, personId: number) {
  for (let after = 0; ; ) {
    const page = await db.all(store.listOfPerson, { person: personId, after, limit: EXPORTED_AT_ONCE })
    for (const row of page)
      yield {
        kind: row.kind,
        recipient: row.recipient,
        createdDate: row.created_at,
        sentDate: row.sent_at,
        givenUpDate: row.given_up_at,
      }
    if (page.length < EXPORTED_AT_ONCE) return
    after = page.at(-1)!.id
  }
}

export const messageRetention: readonly Retention[] = [{ days: 30, remove: store.deleteOld }]

export const messagePolicy = service(
  ({ name, url, config, keysFor }): MessagePolicy => ({
    isOn: config.MESSAGES !== 'off',
    environment: name,
    url,
    sealKeys: keysFor('message'),
  }),
)
