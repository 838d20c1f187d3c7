import { makeClientId } from '../apps/apps.ts'
import type { EnvironmentName } from '../config.ts'
import { normaliseHandle } from '../people/handles.ts'
import { batches, gather } from './batches.ts'
import { COLUMNS, type PersonPlan, type Plan } from './plan.ts'
import type { PreparedFile, PreparedPerson } from './prepared.ts'

/*
 * An import is decided as a whole and written in parts, each a small file in a transaction of its own: whoever is changed, and whoever shares a word with a newcomer,
 * waits for one part and not for all. Everybody is there before anybody is tied to anybody.
 */

/** How much a part has to do: it should be over in a quarter of a second, in which whoever it names may have to wait. */
const WORK = 200
const WORK_OF_MEMBERSHIP = 0.1
/** Parents, friends and apps of a part: each friend is locked while it is written. */
const TIES = 400

export interface Split {
  readonly file: PreparedFile
  readonly plan: Plan
  readonly environment: EnvironmentName
  /** In how many apps people can be found: each is written anew with the person. */
  readonly places: ReadonlyMap<number, number>
}

/** What the plan changes, in the order in which it has to be written. */
export function* splitFile({ file, plan, environment, places }: Split): Generator<PreparedFile> {
  const nothing: PreparedFile = { organisations: [], people: [], apps: [] }
  const isChanged = {
    organisation: keysOf(plan.organisations, ({ key }) => key),
    app: keysOf(plan.apps, ({ client_id }) => client_id),
  }
  const organisations = file.organisations.filter(({ key }) => isChanged.organisation.has(key))
  for (const batch of batches(organisations, WORK)) yield { ...nothing, organisations: batch }

  const planned = new Map<string, PersonPlan & { readonly id?: number }>(
    [...plan.people.created, ...plan.people.updated].map((person) => [person.handle_key, person]),
  )
  const people = file.people.flatMap((person) => {
    const found = planned.get(normaliseHandle(person.handle))
    return found ? [{ person, found }] : []
  })
  const weigh = ({ found: { id = -1, memberships } }: (typeof people)[number]): number =>
    1 + (places.get(id) ?? 0) + (memberships?.size ?? 0) * WORK_OF_MEMBERSHIP
  const changed = people.filter(({ found }) => found.changed.size > 0 || found.memberships !== undefined)
  for (const batch of gather(changed, WORK, weigh))
    yield { ...nothing, people: batch.map(({ person, found }) => pickFields(person, found)) }

  const apps = file.apps.filter(({ key }) => isChanged.app.has(makeClientId(environment, key)))
  for (const batch of batches(apps, WORK)) yield { ...nothing, apps: batch }

  const tied = people.flatMap(({ person: { handle, parents, apps = [] }, found }) => {
    const { friends, clients, hasSameParents } = found.ties
    const isNew = (key: string) => clients.includes(makeClientId(environment, key))
    const isReplaced = parents && (!hasSameParents || found.changed.has('public_search'))
    const added = { friends: [...friends], apps: apps.filter(isNew) }
    return [...splitTies({ handle, ...(isReplaced && { parents }), ...added, isKnown: true })]
  })
  // Nobody twice in a part.
  for (const batch of gather(tied, TIES, countTies, (one, other) => one.handle === other.handle))
    yield { ...nothing, people: batch }
}

/** Of somebody who is there already, only what is to change: the rest is theirs to change meanwhile. */
function pickFields(
  person: PreparedPerson,
  { id, changed, memberships }: PersonPlan & { id?: number },
): PreparedPerson {
  const { parents: _parents, friends: _friends, apps: _apps, ...fields } = person
  if (id === undefined) return { ...fields, isKnown: false }
  const picked = Object.entries(fields).filter(([name]) => {
    if (name === 'organisations') return memberships !== undefined
    return !(name in COLUMNS) || changed.has(COLUMNS[name as keyof typeof COLUMNS])
  })
  return { handle: person.handle, ...Object.fromEntries(picked), isKnown: true }
}

const keysOf = <T>(
  changes: { readonly created: readonly T[]; readonly updated: readonly T[] },
  keyOf: (entry: T) => string,
): ReadonlySet<string> => new Set([...changes.created, ...changes.updated].map(keyOf))

const countTies = ({ parents = [], friends = [], apps = [] }: PreparedPerson): number =>
  1 + parents.length + friends.length + apps.length

/** Parents are replaced as a list; friends and apps are only added, so they may come in any number of pieces. */
function* splitTies(person: PreparedPerson): Generator<PreparedPerson> {
  const { handle, parents, friends = [], apps = [] } = person
  if (countTies(person) <= TIES) {
    if (parents !== undefined || countTies(person) > 1) yield person
    return
  }
  if (parents !== undefined) yield { handle, parents, isKnown: true }
  for (const batch of batches(friends, TIES)) yield { handle, friends: [...batch], isKnown: true }
  for (const batch of batches(apps, TIES)) yield { handle, apps: [...batch], isKnown: true }
}
