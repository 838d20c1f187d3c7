import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import type { AppUser, PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { findOpen, readEntries } from '../profiles/profiles.ts'
import type { UserEntry } from '../profiles/schema.ts'
import { MAX_RECEIVED } from './rules.ts'
import type { Friend, FriendRequests, Friends, RememberedUser } from './schema.ts'
import * as store from './store.ts'

type PersonRow = RowOf<typeof store.listFriends>

/**
 * Limits concurrent reads of lists, because they take long: to one per caller and eight per process. A caller with too
 * many waiting requests is refused. A person counts as a separate caller in each app, in their browser, and for each
 * child as a parent.
 */
const listing = gatePerOwner({ atOnce: 8, perKey: 1, waitingPerKey: 20 })
const inTurn = <T>(db: Db, personId: number, line: string, work: () => Promise<T>): Promise<T> =>
  listing(db).run(`${personId} ${line}`, work)
const inTurnOfApp = <T>(db: Db, { personId, appId }: AppUser, work: () => Promise<T>): Promise<T> =>
  inTurn(db, personId, `in ${appId}`, work)

/** Lists the caller's friends who use the calling app. */
export function listFriends(db: Db, who: AppUser): Promise<UserEntry[]> {
  return inTurnOfApp(db, who, async () =>
    readEntries(db, who, idsOf(await db.all(store.listFriends, { person: who.personId }))),
  )
}

/** Reads the friend requests from and to users of the calling app. */
export function readRequests(db: Db, who: AppUser): Promise<FriendRequests> {
  return inTurnOfApp(db, who, async () => {
    const [received, sent] = await Promise.all([
      listReceived(db, who),
      db.all(store.listSent, { person: who.personId }),
    ])
    const asking = await withEntries(db, who, received)
    const asked = await withRemembered(db, who, sent)
    return {
      received: asking.map(([{ since }, entry]) => ({ ...entry, requestedDate: since })),
      sent: asked.map(([{ since }, user]) => ({ ...user, requestedDate: since })),
    }
  })
}

/**
 * Maximum number of open requests per statement. The number of requests to a person is unlimited, so they are read in
 * batches, between which other callers get a connection.
 */
const BATCH = 1000

/**
 * Reads the earliest MAX_RECEIVED requests from users of the calling app, sorted newest first. Requests from people who
 * do not use the app do not count towards the maximum.
 */
async function listReceived(db: Db, { personId, appId }: AppUser): Promise<PersonRow[]> {
  const received: PersonRow[] = []
  for (let from = { after: '-infinity', id: 0 }; ; ) {
    const rows = await db.all(store.listReceivedInApp, { person: personId, app: appId, ...from, part: BATCH })
    for (const { id, handle, first_name, last_name, since } of rows)
      if (handle !== null) received.push({ id, handle, first_name: first_name!, last_name: last_name!, since })
    const last = rows.at(-1)
    if (!last?.is_last || received.length >= MAX_RECEIVED) break
    from = { after: last.position, id: last.id }
  }
  return received.slice(0, MAX_RECEIVED).sort((one, other) => other.since.localeCompare(one.since) || one.id - other.id)
}

/** Lists the people whom the caller has blocked and who use the calling app. */
export function listBlocked(db: Db, who: AppUser): Promise<RememberedUser[]> {
  return inTurnOfApp(db, who, async () => {
    const blocked = await withRemembered(db, who, await db.all(store.listBlocked, { person: who.personId }))
    return blocked.map(([, user]) => user)
  })
}

/** Pairs each person with their entry in the calling app, and leaves out people who have none. */
async function withEntries(db: Db, who: AppUser, rows: readonly PersonRow[]): Promise<[PersonRow, UserEntry][]> {
  // Entries carry no person id, so they are matched by handle.
  const byHandle = new Map((await readEntries(db, who, idsOf(rows))).map((entry) => [entry.handle, entry]))
  return rows.flatMap((row) => {
    const entry = byHandle.get(row.handle)
    return entry ? [[row, entry]] : []
  })
}

/**
 * Like `withEntries`, but for people to whom the caller has sent a request or whom they have blocked. Such people have
 * not agreed to be seen by the caller, so those who can no longer be found are shown with user id and handle only. Who
 * can be found is read after the entries: in the opposite order, an entry could show a change that the person made
 * after hiding.
 */
async function withRemembered(
  db: Db,
  who: AppUser,
  rows: readonly PersonRow[],
): Promise<[PersonRow, RememberedUser][]> {
  const known = await withEntries(db, who, rows)
  const open = await findOpen(db, who.personId, idsOf(rows))
  return known.map(([row, entry]) => [row, open.has(row.id) ? entry : { userId: entry.userId, handle: entry.handle }])
}

const idsOf = (rows: readonly PersonRow[]): number[] => rows.map(({ id }) => id)

/** Reads a person's friends, requests and blocks outside of any app, for that person or for a parent. */
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
    const toRememberedFriend = (row: PersonRow): Friend =>
      open.has(row.id) ? toFriend(row) : { handle: row.handle, firstName: '', lastName: '' }
    return {
      friends: friends.map(toFriend),
      received: received.map(toFriend),
      sent: sent.map(toRememberedFriend),
      blocked: blocked.map(toRememberedFriend),
    }
  })
}

const toFriend = ({ handle, first_name, last_name }: PersonRow): Friend => ({
  handle,
  firstName: first_name,
  lastName: last_name,
})

/**
 * Returns friends, sent requests and blocks for the data export, including disabled people. Does not say who has
 * declined or blocked the person, because that is those people's data.
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
    friends: friends.map(({ handle, since }) => ({ handle, since })),
    sent: sent.map(({ handle, since }) => ({ handle, requestedDate: since })),
    blocked: blocked.map(({ handle, since }) => ({ handle, blockedDate: since })),
    // Names as the person typed them, whether or not such people exist.
    blockedNames: names.map(({ name, since }) => ({
      ...(name.startsWith('@') ? { handle: name } : { userId: name.slice(1) }),
      blockedDate: since,
    })),
  }
}

/**
 * Yields the received requests, of which there may be any number, for the data export: requests that await the person's
 * answer; requests that only the asker sees as open, because the person has declined or blocked the asker; and recent
 * declines.
 */
export async function* exportRequests(db: Db, personId: number) {
  for await (const { handle, since } of listOn(db, store.listReceivedOn, personId))
    yield { handle, requestedDate: since }
  for await (const { handle, since } of listOn(db, store.listUnheardOn, personId))
    yield { handle, unheardRequestDate: since }
  for await (const { handle, since } of listOn(db, store.listDeclinedOn, personId))
    yield { handle, declinedDate: since }
}

async function* listOn(db: Db, statement: typeof store.listReceivedOn, personId: number): AsyncGenerator<PersonRow> {
  for (let from = { after: '-infinity', id: 0 }; ; ) {
    const rows = await db.all(statement, { person: personId, ...from, limit: BATCH })
    yield* rows
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    from = { after: last.position, id: last.id }
  }
}
