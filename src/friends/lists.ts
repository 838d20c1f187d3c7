import type { AppUser } from '../caller.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { readEntries } from '../profiles/profiles.ts'
import type { Entry } from '../profiles/schema.ts'
import type { Friend, FriendRequest, Friends } from './schema.ts'
import * as store from './store.ts'

type Known = RowOf<typeof store.listFriends>

/** The caller's friends who use the calling app. */
export async function listFriends(db: Db, who: AppUser): Promise<Entry[]> {
  return readEntries(db, who, idsOf(await db.all(store.listFriends, { person: who.personId })))
}

/** Those of users of the calling app. */
export async function readRequests(
  db: Db,
  who: AppUser,
): Promise<{ received: FriendRequest[]; sent: FriendRequest[] }> {
  const [received, sent] = await Promise.all([
    db.all(store.listReceived, { person: who.personId }),
    db.all(store.listSent, { person: who.personId }),
  ])
  const entries = await readEntries(db, who, idsOf([...received, ...sent]))
  // Entries name nobody but by the ids of the app, and by the handle.
  const byHandle = new Map(entries.map((entry) => [entry.handle, entry]))
  const withDate = ({ handle, since }: Known): FriendRequest[] => {
    const entry = byHandle.get(handle)
    return entry ? [{ ...entry, requestedDate: since.toISOString() }] : []
  }
  return { received: received.flatMap(withDate), sent: sent.flatMap(withDate) }
}

/** Those whom the caller has blocked and who use the calling app. */
export async function listBlocked(db: Db, who: AppUser): Promise<Entry[]> {
  return readEntries(db, who, idsOf(await db.all(store.listBlocked, { person: who.personId })))
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
export async function readFriends(db: Db, personId: number): Promise<Friends> {
  const { friends, received, sent, blocked } = await readAll(db, personId)
  return {
    friends: friends.map(toFriend),
    received: received.map(toFriend),
    sent: sent.map(toFriend),
    blocked: blocked.map(toFriend),
  }
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
