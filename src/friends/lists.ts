import type { AppUser } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { findOpen, readEntries } from '../profiles/profiles.ts'
import type { Entry } from '../profiles/schema.ts'
import { Turns } from '../turns.ts'
import type { Friend, FriendRequests, Friends, RememberedUser } from './schema.ts'
import * as store from './store.ts'

type Known = RowOf<typeof store.listFriends>

/** Lists are long: one at a time for each person, a few in a process, and whoever asks for many at once is sent away. */
const turns = new Turns({ waiting: 20, working: 8 })
const inTurn = <T>(db: Db, personId: number, work: () => Promise<T>): Promise<T> =>
  turns.take(db, String(personId), work)

/** The caller's friends who use the calling app. */
export function listFriends(db: Db, who: AppUser): Promise<Entry[]> {
  return inTurn(db, who.personId, async () =>
    readEntries(db, who, idsOf(await db.all(store.listFriends, { person: who.personId }))),
  )
}

/** Those of users of the calling app. */
export function readRequests(db: Db, who: AppUser): Promise<FriendRequests> {
  return inTurn(db, who.personId, async () => {
    const [received, sent] = await Promise.all([
      db.all(store.listReceived, { person: who.personId }),
      db.all(store.listSent, { person: who.personId }),
    ])
    const asking = await withEntries(db, who, received)
    const asked = await recall(db, who, sent)
    return {
      received: asking.map(([{ since }, entry]) => ({ ...entry, requestedDate: since.toISOString() })),
      sent: asked.map(([{ since }, user]) => ({ ...user, requestedDate: since.toISOString() })),
    }
  })
}

/** Those whom the caller has blocked and who use the calling app. */
export function listBlocked(db: Db, who: AppUser): Promise<RememberedUser[]> {
  return inTurn(db, who.personId, async () => {
    const blocked = await recall(db, who, await db.all(store.listBlocked, { person: who.personId }))
    return blocked.map(([, user]) => user)
  })
}

/** Each with what the calling app knows them as. */
async function withEntries(db: Db, who: AppUser, rows: readonly Known[]): Promise<[Known, Entry][]> {
  // Entries name nobody but by the ids of the app, and by the handle.
  const byHandle = new Map((await readEntries(db, who, idsOf(rows))).map((entry) => [entry.handle, entry]))
  return rows.flatMap((row) => {
    const entry = byHandle.get(row.handle)
    return entry ? [[row, entry]] : []
  })
}

/**
 * The same for those whom the caller has asked or blocked, which is nothing that they agreed to: whoever can no longer be found is known by the id and the handle
 * alone. Asked after their entries were read, so that nothing is shown which they have written after they hid.
 */
async function recall(db: Db, who: AppUser, rows: readonly Known[]): Promise<[Known, RememberedUser][]> {
  const known = await withEntries(db, who, rows)
  const open = await findOpen(db, who.personId, idsOf(rows))
  return known.map(([row, entry]) => [row, open.has(row.id) ? entry : { userId: entry.userId, handle: entry.handle }])
}

const idsOf = (rows: readonly Known[]): number[] => rows.map(({ id }) => id)

const readAll = async (db: Db, personId: number) => {
  const person = { person: personId }
  const [friends, received, sent, blocked] = await Promise.all([
    db.all(store.listFriends, person),
    db.all(store.listReceived, person),
    db.all(store.listSent, person),
    db.all(store.listBlocked, person),
  ])
  return { friends, received, sent, blocked }
}

/** Everybody whom a person has to do with, outside of any app: for themselves, and for a parent. */
export function readFriends(db: Db, personId: number): Promise<Friends> {
  return inTurn(db, personId, async () => {
    const { friends, received, sent, blocked } = await readAll(db, personId)
    const open = await findOpen(db, personId, idsOf([...sent, ...blocked]))
    const recallFriend = (row: Known): Friend =>
      open.has(row.id) ? toFriend(row) : { handle: row.handle, firstName: '', lastName: '' }
    return {
      friends: friends.map(toFriend),
      received: received.map(toFriend),
      sent: sent.map(recallFriend),
      blocked: blocked.map(recallFriend),
    }
  })
}

const toFriend = ({ handle, first_name, last_name }: Known): Friend => ({
  handle,
  firstName: first_name,
  lastName: last_name,
})

const MAX_DECLINED = 5000

/** For the download of everything that is kept about a person. Not who has declined or blocked them: that is the others' own. */
export async function exportFriends(db: Db, personId: number) {
  const { friends, received, sent, blocked } = await readAll(db, personId)
  const declined = await db.all(store.listDeclined, { person: personId, most: MAX_DECLINED })
  return {
    friends: friends.map(({ handle, since }) => ({ handle, since: since.toISOString() })),
    received: received.map(({ handle, since }) => ({ handle, requestedDate: since.toISOString() })),
    sent: sent.map(({ handle, since }) => ({ handle, requestedDate: since.toISOString() })),
    declined: declined.map(({ handle, since }) => ({ handle, declinedDate: since.toISOString() })),
    blocked: blocked.map(({ handle, since }) => ({ handle, blockedDate: since.toISOString() })),
  }
}
