import { makeClientId } from '../apps/apps.ts'
import type { EnvironmentName } from '../config.ts'
import { normaliseHandle } from '../people/people.ts'
import { batches } from './batches.ts'
import type { Plan } from './plan.ts'
import type { PreparedFile, PreparedPerson } from './prepared.ts'

/*
 * An import is decided as a whole and written in parts, each a small file in a transaction of its own: whoever is changed, and whoever shares a word with a newcomer,
 * waits for one part and not for all. Everybody is there before anybody is tied to anybody.
 */

/** How many entries a part has: it should be over in a quarter of a second. */
const ENTRIES = 200
/** Parents, friends and apps of a part: each friend is locked while it is written. */
const TIES = 400

/** What the plan changes, in the order in which it has to be written. */
export function* splitFile(file: PreparedFile, plan: Plan, environment: EnvironmentName): Generator<PreparedFile> {
  const nothing: PreparedFile = { organisations: [], people: [], apps: [] }
  const isChanged = {
    organisation: keysOf(plan.organisations, ({ key }) => key),
    app: keysOf(plan.apps, ({ client_id }) => client_id),
  }
  const organisations = file.organisations.filter(({ key }) => isChanged.organisation.has(key))
  for (const batch of batches(organisations, ENTRIES)) yield { ...nothing, organisations: batch }

  const planned = new Map([...plan.people.created, ...plan.people.updated].map((person) => [person.handle_key, person]))
  const people = file.people.flatMap((person) => {
    const found = planned.get(normaliseHandle(person.handle))
    return found ? [{ person, found }] : []
  })
  const fields = people.flatMap(({ person: { parents: _parents, friends: _friends, apps: _apps, ...rest }, found }) =>
    found.isRowSame && found.memberships === undefined ? [] : [{ ...rest, isKnown: 'id' in found }],
  )
  for (const batch of batches(fields, ENTRIES)) yield { ...nothing, people: batch }

  const apps = file.apps.filter(({ key }) => isChanged.app.has(makeClientId(environment, key)))
  for (const batch of batches(apps, ENTRIES)) yield { ...nothing, apps: batch }

  const tied = people.flatMap(({ person: { handle, parents, apps = [] }, found }) => {
    const { friends, clients } = found.ties
    const isNew = (key: string) => clients.includes(makeClientId(environment, key))
    const added = { friends: [...friends], apps: apps.filter(isNew) }
    return [...splitTies({ handle, ...(parents && { parents }), ...added, isKnown: true })]
  })
  for (const batch of gather(tied)) yield { ...nothing, people: batch }
}

const keysOf = <T>(
  changes: { readonly created: readonly T[]; readonly updated: readonly T[] },
  keyOf: (entry: T) => string,
): ReadonlySet<string> => new Set([...changes.created, ...changes.updated].map(keyOf))

const countTies = ({ parents = [], friends = [], apps = [] }: PreparedPerson): number =>
  parents.length + friends.length + apps.length

/** Parents are replaced as a list; friends and apps are only added, so they may come in any number of pieces. */
function* splitTies(person: PreparedPerson): Generator<PreparedPerson> {
  const { handle, parents, friends = [], apps = [] } = person
  if (countTies(person) <= TIES) {
    if (parents !== undefined || countTies(person) > 0) yield person
    return
  }
  if (parents !== undefined) yield { handle, parents, isKnown: true }
  for (const batch of batches(friends, TIES)) yield { handle, friends: [...batch], isKnown: true }
  for (const batch of batches(apps, TIES)) yield { handle, apps: [...batch], isKnown: true }
}

/** Neighbours together, as long as they have few ties, and nobody twice. */
function* gather(entries: readonly PreparedPerson[]): Generator<PreparedPerson[]> {
  let part: PreparedPerson[] = []
  let ties = 0
  for (const entry of entries) {
    const isFull = part.length === ENTRIES || ties + countTies(entry) > TIES
    if (part.length > 0 && (isFull || part.at(-1)!.handle === entry.handle)) {
      yield part
      part = []
      ties = 0
    }
    part.push(entry)
    ties += countTies(entry)
  }
  if (part.length > 0) yield part
}
