import { randomUUID } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { hashToken, mintToken } from '../../kernel/sessions/tokens.ts'
import type { LaunchMode } from './names.ts'
import { abandonSessions, type LaunchRow, storeOwn } from './registrations.ts'
import * as store from './store.ts'

/** Starts a session of a locked registration. Returns it with the token of its fetch URL. */
export async function startSession(
  tx: Tx,
  { at: now }: Caller,
  what: { readonly registration: number; readonly position: number; readonly mode: LaunchMode },
  { name }: Pick<Environment, 'name'>,
): Promise<{ readonly row: LaunchRow; readonly token: string }> {
  const token = mintToken('fetch', name)
  const launch = await tx.first(store.insertLaunch, { ...what, code: randomUUID(), fetchHash: hashToken(token), now })
  return { row: (await readSession(tx, launch!.id))!, token }
}

const readSession = (tx: Tx, launch: number): Promise<LaunchRow | undefined> => tx.first(store.readLaunch, { launch })

/** Reads a session as if it were of another item of the package, to which a player has gone on. */
export const readSessionAt = (tx: Tx, launch: number, position: number): Promise<LaunchRow | undefined> =>
  tx.first(store.readLaunchAt, { launch, position })

/** Moves a session to another item of its package, to which its player has gone on. */
export async function moveSession(tx: Tx, launch: number, position: number): Promise<void> {
  await tx.first(store.moveLaunch, { launch, position })
}

/** Saves what the open item of SCORM says now. It is judged when the item ends. */
export async function noteStatus(
  tx: Tx,
  { at: now }: Caller,
  status: { readonly launch: number; readonly completed: boolean; readonly failed: boolean },
): Promise<void> {
  await tx.first(store.noteStatus, { ...status, now })
}

/** Lists the open sessions of a registration. */
export const listOpenSessions = (tx: Tx, registration: number): Promise<LaunchRow[]> =>
  tx.all(store.listOpen, { registration })

/** Lists sessions whose content has not called the platform since a time, oldest first. */
export const listSilentSessions = (db: Db, what: { readonly before: Date; readonly limit: number }) =>
  db.all(store.listSilent, what)

/** Abandons a session of a locked registration, unless it has ended in the meantime. */
export async function abandonSession(tx: Tx, who: Caller, launch: number, environment: Environment): Promise<void> {
  const row = await readSession(tx, launch)
  if (!row || row.ended_at) return
  await storeOwn(tx, who, await abandonSessions(tx, who, [row], environment), environment)
}

/** Notes that a session has called the platform, and ends it if it is done. */
export async function touchSession(tx: Tx, { at: now }: Caller, launch: number, isDone: boolean): Promise<void> {
  await tx.first(store.noteLaunch, {
    ...{ launch, now, initialized: false, completed: false, passed: false, failed: false },
    ...{ endedBy: isDone ? 'terminated' : null, seconds: null },
  })
}
