import { Type } from 'typebox'
import type { Db } from '../../kernel/database/database.ts'
import { Handles } from '../../kernel/imports/fields.ts'
import { type Change, type ImportTie, readInBatches, textsIn, type World } from '../../kernel/imports/section.ts'
import { normaliseHandle } from '../people/handles.ts'
import { peopleSection, type StoredPerson } from '../people/import.ts'
import * as store from './import-store.ts'
import { MAX_FRIENDS } from './rules.ts'

interface PersonWithFriends {
  readonly handle: string
  readonly friends?: readonly string[]
}

const pairOf = (one: number, other: number) => ({ low: Math.min(one, other), high: Math.max(one, other) })
const keyOf = ({ low, high }: { low: number; high: number }): string => `${low} ${high}`
const pairsOf = (people: readonly { id: number; others: readonly number[] }[]) => [
  ...new Map(
    people.flatMap(({ id, others }) =>
      others.map((other) => {
        const pair = pairOf(id, other)
        return [keyOf(pair), pair] as const
      }),
    ),
  ).values(),
]

/** Imports friends. An import only adds friends, because ending a friendship is the person's own decision. */
export const friendTie: ImportTie<PersonWithFriends, StoredPerson, ReadonlySet<string>, readonly string[]> = {
  field: 'friends',
  schema: Type.Optional(
    Handles(MAX_FRIENDS, 'Friends to add, on both sides; none is removed, and a block is never overridden'),
  ),
  when: 'after',
  isAdded: true,

  *check(people) {
    for (const [i, { handle, friends }] of people.entries())
      for (const [j, friend] of textsIn(friends))
        if (typeof handle === 'string' && normaliseHandle(friend) === normaliseHandle(handle))
          yield `people[${i}].friends[${j}]: must be another user`
  },

  *refer({ friends }, place) {
    for (const [j, friend] of textsIn(friends))
      yield { place: `${place}.friends[${j}]`, to: peopleSection, key: normaliseHandle(friend) }
  },

  /** Reads the pairs that the import leaves as they are: friends already, or one has blocked the other. */
  async read(db, people, { find }) {
    const named = people.map(({ id, entry: { friends = [] } }) => ({
      id,
      others: friends.flatMap((friend) => find(peopleSection, normaliseHandle(friend))?.id ?? []),
    }))
    const rows = await readInBatches(pairsOf(named), (batch) =>
      db.all(store.findSettledPairs, { rows: JSON.stringify(batch) }),
    )
    return new Set(rows.map(keyOf))
  },

  plan({ friends = [] }, found, settled, { find }) {
    const isSettled = (handle: string): boolean => {
      const other = find(peopleSection, handle)
      return found !== undefined && other !== undefined && settled.has(keyOf(pairOf(found.id, other.id)))
    }
    const added = [...new Set(friends.map(normaliseHandle))].filter((handle) => !isSettled(handle))
    return added.length > 0 ? added : undefined
  },

  pick: (_entry, added) => added,

  async fit(db, changes, world) {
    const room = await findRoom(db, changes, world)
    const crowded = [...room.keys()].filter((handle) => room.get(handle)! < 0)
    const nameOf = (handle: string) => world.find(peopleSection, handle)?.handle ?? `@${handle}`
    return {
      mistakes: crowded.sort().map((handle) => `${nameOf(handle)}: would have more than ${MAX_FRIENDS} friends`),
      fitting: crowded.length === 0 ? changes : chooseFriends(changes, room),
    }
  },

  /**
   * Needs no locks of its own: the import has already locked the people, as every change between two people requires.
   */
  async write(tx, who, changes, { idOf }) {
    const pairs = pairsOf(
      changes.map(({ id, change }) => ({ id, others: change.map((friend) => idOf(peopleSection, friend)) })),
    )
    if (pairs.length > 0) await tx.all(store.insertFriendships, { rows: JSON.stringify(pairs), now: who.at })
  },
}

type FriendChanges = readonly Change<readonly string[]>[]

/**
 * Returns how many more friends each person in the import may have after it, by normalised handle. A negative number
 * means that the person would exceed the limit.
 */
async function findRoom(db: Db, changes: FriendChanges, { find }: World): Promise<ReadonlyMap<string, number>> {
  const added = new Map<string, Set<string>>()
  const add = (one: string, other: string) => added.set(one, (added.get(one) ?? new Set()).add(other))
  for (const { key, change } of changes) {
    for (const friend of change) {
      add(key, friend)
      add(friend, key)
    }
  }
  const room = new Map([...added].map(([handle, friends]) => [handle, MAX_FRIENDS - friends.size]))
  const known = [...added.keys()].flatMap((handle) => find(peopleSection, handle)?.id ?? [])
  for (const row of await readInBatches(known, (people) => db.all(store.countFriendsOf, { people })))
    room.set(row.handle_key, room.get(row.handle_key)! - row.friends)
  return room
}

/** Drops new friendships until nobody exceeds the limit. */
function chooseFriends(changes: FriendChanges, roomOf: ReadonlyMap<string, number>): FriendChanges {
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
  return changes.map((one) => ({ ...one, change: one.change.filter((friend) => mayStay(one.key, friend)) }))
}
