import { enrolUsers, makeClientId } from '../apps/apps.ts'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import { normaliseHandle } from '../people/handles.ts'
import { batches } from './batches.ts'
import * as peopleStore from './people-store.ts'
import { MAX_FRIENDS } from './rules.ts'
import type { ImportedPerson } from './schema.ts'
import * as store from './store.ts'

/*
 * What ties people to others: parents, friends, and the apps that they are users of. Parents are replaced as a list; friends and apps are only added, because it is for
 * people themselves to end them.
 */

const READ_BATCH = 5000

/** What an environment has of the ties that a file names. */
export interface Ties {
  /** Handles in their normal form, by the child's id. */
  readonly parents: ReadonlyMap<number, ReadonlySet<string>>
  /** Pairs with nothing to add: they are friends, or one has blocked the other. */
  readonly settledPairs: ReadonlySet<string>
  /** Ids of apps by client ID. */
  readonly apps: ReadonlyMap<string, number>
  /** Person and app, also where consent was withdrawn. */
  readonly users: ReadonlySet<string>
}

/** What is to be written for one person. Handles are in their normal form. */
export interface TiesPlan {
  readonly parents: ReadonlySet<string> | undefined
  readonly hasSameParents: boolean
  /** Those who are no friends yet. */
  readonly friends: readonly string[]
  /** Client IDs of apps that the person is no user of yet. */
  readonly clients: readonly string[]
}

type FindId = (handle: string) => number | undefined

const keyOf = (one: number, other: number): string => `${one} ${other}`
const keyOfPair = (one: number, other: number): string => keyOf(Math.min(one, other), Math.max(one, other))

export async function readTies(
  db: Db,
  environment: EnvironmentName,
  people: readonly ImportedPerson[],
  findId: FindId,
): Promise<Ties> {
  const known = people.flatMap((person) => {
    const id = findId(person.handle)
    return id === undefined ? [] : [{ id, person }]
  })

  const parents = new Map<number, Set<string>>()
  const children = known.filter(({ person }) => person.parents !== undefined).map(({ id }) => id)
  for (const batch of batches(children, READ_BATCH)) {
    for (const row of await db.all(peopleStore.findParents, { children: [...batch] }))
      parents.set(row.child_id, (parents.get(row.child_id) ?? new Set()).add(row.parent))
  }

  const pairs = new Map<string, { low: number; high: number }>()
  for (const { id, person } of known) {
    for (const friend of person.friends ?? []) {
      const other = findId(friend)
      if (other !== undefined) pairs.set(keyOfPair(id, other), { low: Math.min(id, other), high: Math.max(id, other) })
    }
  }
  const settledPairs = new Set<string>()
  for (const batch of batches([...pairs.values()], READ_BATCH)) {
    for (const { low, high } of await db.all(peopleStore.findSettledPairs, { rows: JSON.stringify(batch) }))
      settledPairs.add(keyOf(low, high))
  }

  const apps = new Map<string, number>()
  const clients = [...new Set(people.flatMap((person) => person.apps ?? []))].map((key) =>
    makeClientId(environment, key),
  )
  for (const batch of batches(clients, READ_BATCH)) {
    for (const row of await db.all(store.findAppIds, { clients: [...batch] })) apps.set(row.client_id, row.id)
  }
  const users = new Set<string>()
  const asked = apps.size === 0 ? [] : known.filter(({ person }) => person.apps !== undefined).map(({ id }) => id)
  for (const batch of batches(asked, READ_BATCH)) {
    for (const row of await db.all(peopleStore.findUsersOfApps, { people: [...batch], apps: [...apps.values()] }))
      users.add(keyOf(row.person_id, row.app_id))
  }
  return { parents, settledPairs, apps, users }
}

export function planTies(
  person: ImportedPerson,
  environment: EnvironmentName,
  ties: Ties,
  findId: FindId,
): TiesPlan & { readonly isSame: boolean } {
  const id = findId(person.handle)
  const isFriend = (handle: string): boolean => {
    const other = findId(handle)
    return id !== undefined && other !== undefined && ties.settledPairs.has(keyOfPair(id, other))
  }
  const isUser = (clientId: string): boolean => {
    const app = ties.apps.get(clientId)
    return id !== undefined && app !== undefined && ties.users.has(keyOf(id, app))
  }
  const parents = person.parents && new Set(person.parents.map(normaliseHandle))
  const friends = [...new Set(person.friends?.map(normaliseHandle))].filter((handle) => !isFriend(handle))
  const clients = [...new Set(person.apps)].map((key) => makeClientId(environment, key)).filter((one) => !isUser(one))
  const stored: ReadonlySet<string> = (id !== undefined && ties.parents.get(id)) || new Set()
  const hasSameParents =
    parents === undefined || (parents.size === stored.size && [...parents].every((parent) => stored.has(parent)))
  const isSame = hasSameParents && friends.length === 0 && clients.length === 0
  return { parents, hasSameParents, friends, clients, isSame }
}

type PlannedPerson = { readonly handle_key: string; readonly ties: TiesPlan }
type Ids = ReadonlyMap<string, number>

export async function writeParents(tx: Db, who: Caller, people: readonly PlannedPerson[], ids: Ids): Promise<void> {
  const children = people.filter(({ ties }) => ties.parents !== undefined)
  if (children.length === 0) return
  const rows = children.flatMap(({ handle_key, ties }) =>
    [...ties.parents!].map((parent) => ({ child_id: ids.get(handle_key), parent_id: ids.get(parent) })),
  )
  await tx.all(peopleStore.replaceParents, {
    children: children.map(({ handle_key }) => ids.get(handle_key)!),
    rows: JSON.stringify(rows),
    now: who.at,
  })
}

/** How many friends more everybody may have who is to get some: less than none where they would have too many. By handles in their normal form. */
export async function findRoom(
  db: Db,
  people: readonly PlannedPerson[],
  findId: FindId,
): Promise<ReadonlyMap<string, number>> {
  const added = new Map<string, Set<string>>()
  const add = (one: string, other: string) => added.set(one, (added.get(one) ?? new Set()).add(other))
  for (const { handle_key, ties } of people) {
    for (const friend of ties.friends) {
      add(handle_key, friend)
      add(friend, handle_key)
    }
  }
  const room = new Map([...added].map(([handle, friends]) => [handle, MAX_FRIENDS - friends.size]))
  const known = [...added.keys()].map(findId).filter((id) => id !== undefined)
  for (const batch of batches(known, READ_BATCH)) {
    for (const { handle_key, friends } of await db.all(peopleStore.countFriends, { people: [...batch] }))
      room.set(handle_key, room.get(handle_key)! - friends)
  }
  return room
}

/** Those of the new friends for whom there is room, on both sides. */
export function chooseFriends(
  people: readonly PlannedPerson[],
  roomOf: ReadonlyMap<string, number>,
): ReadonlyMap<string, { readonly friends: string[] }> {
  const room = new Map(roomOf)
  const left = new Set<string>()
  const lacksRoom = (handle: string) => room.get(handle)! < 0
  const mayStay = (one: string, other: string): boolean => {
    const pair = [one, other].sort().join(' ')
    if (left.has(pair)) return false
    if (!lacksRoom(one) && !lacksRoom(other)) return true
    left.add(pair)
    for (const handle of [one, other]) room.set(handle, room.get(handle)! + 1)
    return false
  }
  return new Map(
    people.map(({ handle_key, ties }) => [
      handle_key,
      { friends: ties.friends.filter((friend) => mayStay(handle_key, friend)) },
    ]),
  )
}

/** The people are locked already, as whoever changes something between two people does. */
export async function writeFriends(tx: Db, who: Caller, people: readonly PlannedPerson[], ids: Ids): Promise<void> {
  const pairs = new Map<string, { low: number; high: number }>()
  for (const { handle_key, ties } of people) {
    const id = ids.get(handle_key)!
    for (const friend of ties.friends) {
      const other = ids.get(friend)!
      pairs.set(keyOfPair(id, other), { low: Math.min(id, other), high: Math.max(id, other) })
    }
  }
  if (pairs.size > 0)
    await tx.all(peopleStore.insertFriendships, { rows: JSON.stringify([...pairs.values()]), now: who.at })
}

/** `apps` are ids by client ID, also of the apps that this import has made. */
export async function writeUsers(
  tx: Db,
  who: Caller,
  what: { readonly people: readonly PlannedPerson[]; readonly ids: Ids; readonly apps: Ids },
): Promise<void> {
  const rows = what.people.flatMap(({ handle_key, ties }) =>
    ties.clients.map((client) => ({ personId: what.ids.get(handle_key)!, appId: what.apps.get(client)! })),
  )
  if (rows.length > 0) await enrolUsers(tx, who, rows)
}
