import { hash } from 'node:crypto'
import type { Caller } from '../caller.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Retention } from '../database/retention.ts'
import type { RowOf } from '../database/statement.ts'
import { tellAfterCommit } from '../jobs/wake.ts'
import * as store from './store.ts'

/** The topic that wakes the senders of all processes when a message is added. */
export const LOGOUTS = 'logouts'

/** A session that has the scope `openid`, or a code for one. */
export interface SignInOfApp {
  readonly appId: number
  /** The browser sign-in that the session came from; undefined for a device. */
  readonly browserId: string | undefined
  readonly sessionId: string
}

const SID_LENGTH = 32

/**
 * Returns the `sid` of ID tokens and logout tokens: the id of the browser's sign-in, different for each app, so that
 * two apps cannot find out that they have the same user. It needs no key, because the ids of browsers and sessions are
 * random, and so it survives a change of the secret key.
 */
export const sidOf = ({ appId, browserId, sessionId }: SignInOfApp): string =>
  hash('sha256', `sid ${appId} ${browserId ?? sessionId}`, 'base64url').slice(0, SID_LENGTH)

/** A session that has ended, as its statement returns it. `isOpenid` says whether it has the scope `openid`. */
export interface EndedSession {
  readonly id: string
  readonly app_id: number
  readonly user_id: string
  readonly browser_id: string | null
  readonly is_openid: boolean
}

/**
 * Queues a message to each app whose users have been signed out, in the transaction that ends the sessions. Apps
 * without a receiver, and sessions without `openid`, get none.
 */
export async function queueLogouts(tx: Tx, who: Caller, ended: readonly EndedSession[]): Promise<void> {
  const rows = ended
    .filter((session) => session.is_openid)
    .map(({ id, app_id, user_id, browser_id }) => ({
      app_id,
      user_id,
      sid: sidOf({ appId: app_id, browserId: browser_id ?? undefined, sessionId: id }),
    }))
  if (rows.length === 0) return
  const added = await tx.all(store.insertMessages, { rows: JSON.stringify(rows), now: who.at })
  if (added.length > 0) tellAfterCommit(tx, LOGOUTS)
}

export type LogoutMessage = RowOf<typeof store.claimDue>

/** Claims due messages, so that no other process sends them before `lease`. */
export const claimLogouts = (
  db: Db,
  what: { full: readonly number[]; now: Date; lease: Date; most: number; limit: number },
): Promise<LogoutMessage[]> => db.all(store.claimDue, { ...what, full: [...what.full] })

type Claim = Pick<LogoutMessage, 'id' | 'token'>

/** Removes a message that was delivered, or that no longer has a receiver. */
export const completeLogout = (db: Db, { id, token }: Claim) => db.first(store.deleteMessage, { id, token })

export const releaseLogout = (db: Db, { id, token }: Claim, now: Date) => db.first(store.release, { id, token, now })

/** Stores a failed attempt. With `failed`, the message is not tried again. */
export const failLogout = (
  db: Db,
  { id, token }: Claim,
  what: { due: Date; problem: string | null; status: number | null; failed: Date | null },
) => db.first(store.putBack, { id, token, ...what })

const LISTED = 20

/** Lists the last messages that an app did not take. */
export async function listFailedLogouts(db: Db, { appId }: { appId: number }) {
  return (await db.all(store.listFailed, { app: appId, limit: LISTED })).map((row) => ({
    userId: row.user_id,
    createdDate: row.created_at,
    failedDate: row.failed_at!,
    attempts: row.attempts,
    status: row.status,
    problem: row.problem,
  }))
}

export const countWaitingLogouts = async (db: Db): Promise<number> =>
  (await db.first(store.countWaiting, {}))?.count ?? 0

export const logoutRetention: readonly Retention[] = [{ days: 14, remove: store.deleteFailed }]
