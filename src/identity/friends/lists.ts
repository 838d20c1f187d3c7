import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import type { AppUser, PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { findOpen, readEntries } from '../profiles/profiles.ts'
import type { Entry } from '../profiles/schema.ts'
import { MAX_RECEIVED } from './rules.ts'
import type { Friend, FriendRequests, Friends, RememberedUser } from './schema.ts'
import * as store from './store.ts'

type Known = RowOf<typeof store.listFriends>

/**
 * Lists are long: one at a time for whoever asks, a few in a process, and whoever asks for many at once is sent away. Each app of a person waits for itself; so does
 * the person in their own browser, and a parent for each child.
 */
const listing = gatePerOwner({ atOnce: 8, perKey: 1, waitingPerKey: 20 })
const inTurn = <T>(db: Db, personId: number, line: string, work: () => Promise<T>): Promise<T> =>
  listing(db).run(`${personId} ${line}`, work)
const inTurnOfApp = <T>(db: Db, { personId, appId }: AppUser, work: () => Promise<T>): Promise<T> =>
  inTurn(db, personId, `in ${appId}`, work)

/** The caller's friends who use the calling app. */
export function listFriends(db: Db, who: AppUser): Promise<Entry[]> {
  return inTurnOfApp(db, who, async () =>
    readEntries(db, who, idsOf(await db.all(store.listFriends, { person: who.personId }))),
  )
}

/** Those of users of the calling app. */
export function readRequests(db: Db, who: AppUser): Promise<FriendRequests> {
  return inTurnOfApp(db, who, async () => {
    const [received, sent] = await Promise.all([
      listReceived(db, who),
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

/** So many open requests are looked at in one statement, and then the next: others get in between, however many people ask somebody. */
const PART = 1000

/** The first ones of users of the calling app, whoever has asked before from elsewhere; the newest of them first. */
async function listReceived(db: Db, { personId, appId }: AppUser): Promise<Known[]> {
  const received: Known[] = []
  for (let from = { after: '-infinity', id: 0 }; ; ) {
    const rows = await db.all(store.listReceivedInApp, { person: personId, app: appId, ...from, part: PART })
    for (const { id, handle, first_name, last_name, since } of rows)
      if (handle !== null) received.push({ id, handle, first_name: first_name!, last_name: last_name!, since })
    const last = rows.at(-1)
    if (!last?.is_last || received.length >= MAX_RECEIVED) break
    from = { after: last.position, id: last.id }
  }
  return received
    .slice(0, MAX_RECEIVED)
    .sort((one, other) => other.since.getTime() - one.since.getTime() || one.id - other.id)
}

/** Those whom the caller has blocked and who use the calling app. */
export function listBlocked(db: Db, who: AppUser): Promise<RememberedUser[]> {
  return inTurnOfApp(db, who, async () => {
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

/** Everybody whom a person has to do with, outside of any app: for themselves, and for a parent. */
export function readFriends(db: Db, who: PersonCaller, personId: number): Promise<Friends> {
  return inTurn(db, who.personId, `about ${personId}`, async () => {
    const person = { person: personId }
    const [received, friends, sent, blocked] = await Promise.all([
      db.all(store.listReceived, { ...person, most: MAX_RECEIVED }),
      db.all(store.listFriends, person),
      db.all(store.listSent, person),
      db.all(store.listBlocked, person),
    ])
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

/**
 * For the download of everything that is kept about a person, also where the other one is disabled. Not who has declined or blocked them: that is the others'
 * own.
 */
export async function exportFriends(db: Db, personId: number) {
  const person = { person: personId }
  const [friends, sent, blocked, names] = await Promise.all([
    db.all(store.listAllFriends, person),
    db.all(store.listAllSent, person),
    db.all(store.listBlocked, person),
    db.all(store.listBlockedNames, person),
  ])
  return {
    friends: friends.map(({ handle, since }) => ({ handle, since: since.toISOString() })),
    sent: sent.map(({ handle, since }) => ({ handle, requestedDate: since.toISOString() })),
    blocked: blocked.map(({ handle, since }) => ({ handle, blockedDate: since.toISOString() })),
    // As they were given, whether or not there is somebody.
    blockedNames: names.map(({ name, since }) => ({
      ...(name.startsWith('@') ? { handle: name } : { userId: name.slice(1) }),
      blockedDate: since.toISOString(),
    })),
  }
}

/**
 * The same for what there is no end to: requests that wait for the person, those that are open for the asker alone because the person has declined or blocked them, and
 * whom they have declined lately.
 */
export async function* exportRequests(db: Db, personId: number) {
  for await (const { handle, since } of listOn(db, store.listReceivedOn, personId))
    yield { handle, requestedDate: since.toISOString() }
  for await (const { handle, since } of listOn(db, store.listUnheardOn, personId))
    yield { handle, unheardRequestDate: since.toISOString() }
  for await (const { handle, since } of listOn(db, store.listDeclinedOn, personId))
    yield { handle, declinedDate: since.toISOString() }
}

async function* listOn(db: Db, statement: typeof store.listReceivedOn, personId: number): AsyncGenerator<Known> {
  for (let from = { after: '-infinity', id: 0 }; ; ) {
    const rows = await db.all(statement, { person: personId, ...from, limit: PART })
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < PART) return
    from = { after: last.position, id: last.id }
  }
}
