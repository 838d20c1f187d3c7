import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Age } from '../database/age.ts'
import type { Db } from '../database/database.ts'
import { notify } from '../database/listener.ts'
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
  readonly personId: number
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
  await tx.first(store.insertMessage, {
    person: personId,
    kind,
    recipient,
    sealed: sealMessage(policy.sealKey, { personId, recipient }, { subject, text }),
    now: who.at,
    until: what.until ?? new Date(who.at.getTime() + DAY_MS),
  })
  await notify(tx, MESSAGES_WAIT)
}

export const messageAges: readonly Age[] = [{ days: 30, remove: store.deleteOld }]
