import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { notify } from '../../kernel/database/listener.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Forget } from '../../kernel/forget.ts'
import { isMailAddress } from '../../kernel/lines.ts'
import { forgetFailuresOfAccount, forgetFailuresOfPerson } from '../../kernel/lockouts/lockouts.ts'
import { type MessagePolicy, sendMessage } from '../../kernel/messages/messages.ts'
import { REVOKED, type Revocation, tellAppsOfLeaver } from '../../kernel/sessions/sessions.ts'
import { accountKindAt, ageOnDay } from './ages.ts'
import { farewellLetter } from './letters.ts'
import { forgetSignUps } from './sign-up-store.ts'
import * as store from './store.ts'

type Leaver = RowOf<typeof store.lockForRemoval>

export interface Removal {
  readonly personId: number
  /** The reason for the removal, as written to the audit log. */
  readonly reason: string
  /** How each module deletes the person's data. */
  readonly forget: readonly Forget[]
  /**
   * Called while nobody can sign in as the person; if it returns false, the person is not removed. Not called if the
   * removal has already begun.
   */
  mayGo?(tx: Tx, person: Leaver): Promise<boolean>
  /** Whether other people may use the handle at once. */
  readonly isHandleFree?: boolean
  /** Given if the person is to be notified. */
  readonly messages?: MessagePolicy
}

/**
 * Removes a person with all their data. Returns false if the person is not removed or no longer exists. Runs several
 * transactions, so that removing a person with a thousand buckets holds no locks for long. The first transaction
 * revokes the person's tokens in every process and cannot be undone; `sweepLeaving` resumes an interrupted removal.
 */
export async function removePerson(db: Db, who: Caller, what: Removal): Promise<boolean> {
  for (;;) {
    const outcome = await db.transaction((tx) => removePart(tx, who, what))
    if (outcome !== 'more') return outcome === 'gone'
  }
}

/**
 * Removes a part of the person's data. To avoid deadlocks, locks rows in the same order as all other code: the person
 * (with the children in their care, by id), app user, session, bucket, storage.
 */
async function removePart(tx: Tx, who: Caller, what: Removal): Promise<'gone' | 'more' | 'stays'> {
  const { personId, reason, mayGo } = what
  const locked = await tx.all(store.lockForRemoval, { id: personId })
  const person = locked.find(({ id }) => id === personId)
  if (!person) return 'stays'
  const users = await tx.all(store.lockUsersForRemoval, { person: personId })
  if (!person.is_leaving) {
    if (mayGo && !(await mayGo(tx, person))) return 'stays'
    await startLeaving(tx, who, person, what)
  }
  for (const user of users) {
    const ofApp = { appId: user.app_id, userId: user.user_id }
    for (const room of what.forget) {
      if (room.forgetUser && !(await room.forgetUser(tx, who, ofApp))) return 'more'
    }
  }
  for (const room of what.forget) await room.forgetPerson?.(tx, who, personId)
  if (person.email !== null) await tx.all(forgetSignUps, { email: person.email })
  await tx.first(store.deletePerson, { id: personId })
  if (!person.anonymous) await forgetHandle(tx, who, person, what)
  await recordAudit(tx, who, { action: 'person.removed', personId, detail: { reason } })
  return 'gone'
}

async function startLeaving(tx: Tx, who: Caller, person: Leaver, { messages, forget }: Removal): Promise<void> {
  await tx.first(store.startLeaving, { id: person.id, now: who.at })
  await notify(tx, REVOKED, { personId: person.id } satisfies Revocation)
  if (person.anonymous) return
  await tellAppsOfLeaver(tx, who, { personId: person.id })
  for (const room of forget) await room.lockOut?.(tx, who, person.id)
  const recipient = person.email ?? ''
  if (messages && isMailAddress(recipient)) {
    const letter = farewellLetter(person.handle, who.at, messages)
    await sendMessage(tx, who, { personId: null, recipient, ...letter }, messages)
  }
}

/**
 * Days during which no new account can have the handle, because old links and mentions must not lead to a stranger.
 * Only an import may use the handle earlier, to restore the person.
 */
const RETIRED_DAYS = 180
const DAY_MS = 24 * 60 * 60_000

async function forgetHandle(tx: Tx, who: Caller, leaver: Leaver, { isHandleFree }: Removal): Promise<void> {
  const { id, handle_key: key } = leaver
  await forgetFailuresOfAccount(tx, key)
  await forgetFailuresOfPerson(tx, id)
  if (isHandleFree || isShortLivedChild(leaver, who.at)) return
  await retireForOthers(tx, who, key)
}

/** Reserves a handle that its owner no longer has. */
export const retireForOthers = (tx: Tx, who: Caller, key: string) =>
  tx.first(store.retireHandle, { key, until: new Date(who.at.getTime() + RETIRED_DAYS * DAY_MS) })

/**
 * Whether this is a child's account that is less than a day old. Its handle is not retired: nobody remembers it yet,
 * and a parent who creates and deletes accounts must not be able to use up handles.
 */
const isShortLivedChild = ({ date_of_birth: born, created_at: createdAt }: Leaver, now: Date): boolean =>
  born !== null &&
  accountKindAt(ageOnDay(now, born)).userType === 'child' &&
  now.getTime() - createdAt.getTime() < DAY_MS

const SWEPT_AT_ONCE = 100

/** Resumes interrupted removals. Returns the number of removals completed. */
export async function sweepLeaving(
  db: Db,
  who: Caller,
  what: { forget: readonly Forget[] },
  stopping: AbortSignal,
): Promise<number> {
  let count = 0
  for (const { id } of await db.all(store.listLeaving, { limit: SWEPT_AT_ONCE })) {
    if (stopping.aborted) break
    if (await removePerson(db, who, { ...what, personId: id, reason: 'an interrupted removal went on' })) count++
  }
  return count
}

export const removalRetention: readonly Retention[] = [{ days: 0, remove: store.deleteOldRetired }]
