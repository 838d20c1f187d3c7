import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import { notify } from '../database/listener.ts'
import type { Retention } from '../database/retention.ts'
import { service } from '../environment.ts'
import { sealMessage } from './seal.ts'
import * as store from './store.ts'

/** Topic that every process hears when something waits in the outbox. */
export const MESSAGES_WAIT = 'messages'

/** How one environment tells people things outside of a browser. */
export interface MessagePolicy {
  /** Where messages are off nothing is written, and administrators have to hand out links. */
  readonly isOn: boolean
  readonly environment: EnvironmentName
  /** Where links lead. */
  readonly url: string
  readonly sealKey: Buffer
}

export interface NewMessage {
  /** Null: somebody who is no longer here. The address is forgotten once the message is sent, or given up. */
  readonly personId: number | null
  readonly recipient: string
  /** What it is about, for the log and for statistics: `password-reset`. */
  readonly kind: string
  readonly subject: string
  readonly text: string
  /** Nobody wants it later; a day where nothing is said. */
  readonly until?: Date
}

const DAY_MS = 24 * 60 * 60_000

/**
 * Writes a message to the outbox, in the transaction of what it tells about; it is sent after the commit, by whichever process comes first. Nothing
 * happens for a person who does not exist, in the same time.
 */
export async function sendMessage(tx: Db, who: Caller, what: NewMessage, policy: MessagePolicy): Promise<void> {
  if (!policy.isOn) return
  const { personId, recipient, kind, subject, text } = what
  const message = {
    kind,
    recipient,
    sealed: sealMessage(policy.sealKey, { personId, recipient }, { subject, text }),
    now: who.at,
    until: what.until ?? new Date(who.at.getTime() + DAY_MS),
  }
  if (personId === null) await tx.first(store.insertFarewell, message)
  else await tx.first(store.insertMessage, { person: personId, ...message })
  await notify(tx, MESSAGES_WAIT)
}

const EXPORTED_AT_ONCE = 500

/** For the download of everything that is kept about a person. */
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
  ({ name, url, config, keyFor }): MessagePolicy => ({
    isOn: config.MESSAGES !== 'off',
    environment: name,
    url,
    sealKey: keyFor('message'),
  }),
)
