import { makeClientId } from '../apps/apps.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { childrenBornAfter, isChild } from '../people/ages.ts'
import { normaliseHandle } from '../people/handles.ts'
import { batches } from './batches.ts'
import * as peopleStore from './people-store.ts'
import { findFamilyMistakes, type Mistake, type Reference, readBirths } from './rules.ts'
import type { ImportFile } from './schema.ts'
import * as store from './store.ts'
import { readTies, type Ties } from './ties.ts'

const BATCH = 5000

export type FoundPerson = RowOf<typeof peopleStore.findPeople>

/** What one environment has of the entries that a file names. */
export interface Existing {
  readonly organisations: ReadonlyMap<string, RowOf<typeof store.findOrganisations>>
  /** By the handle's normal form. */
  readonly people: ReadonlyMap<string, FoundPerson>
  /** Role by organisation key, by person id. */
  readonly memberships: ReadonlyMap<number, ReadonlyMap<string, string>>
  /** By client ID. */
  readonly apps: ReadonlyMap<string, RowOf<typeof store.findApps>>
  readonly ties: Ties
}

export async function readExisting(db: Db, environment: EnvironmentName, file: ImportFile): Promise<Existing> {
  const apps = new Map<string, RowOf<typeof store.findApps>>()
  for (const batch of batches(file.apps, BATCH)) {
    const clients = batch.map((app) => makeClientId(environment, app.key))
    for (const row of await db.all(store.findApps, { clients })) apps.set(row.client_id, row)
  }
  // What an app has and the file does not name stays, so it has to be known too.
  const have = (list: (string | null)[]): string[] => list.filter((key) => key !== null)
  const organisations = new Map<string, RowOf<typeof store.findOrganisations>>()
  const organisationKeys = have([...apps.values()].map((app) => app.organisation))
  for (const keys of batches([...new Set([...listOrganisationKeys(file), ...organisationKeys])], BATCH)) {
    for (const row of await db.all(store.findOrganisations, { keys: [...keys] })) organisations.set(row.key, row)
  }
  const people = new Map<string, FoundPerson>()
  const owners = have([...apps.values()].map((app) => app.owner))
  for (const handles of batches([...new Set([...listHandles(file), ...owners])], BATCH)) {
    for (const row of await db.all(peopleStore.findPeople, { handles: [...handles] })) people.set(row.handle_key, row)
  }
  const memberships = new Map<number, Map<string, string>>()
  for (const batch of batches([...people.values()], BATCH)) {
    for (const row of await db.all(peopleStore.findMemberships, { people: batch.map((person) => person.id) })) {
      const roles = memberships.get(row.person_id) ?? new Map<string, string>()
      memberships.set(row.person_id, roles.set(row.key, row.role))
    }
  }
  const ties = await readTies(db, environment, file.people, (handle) => people.get(normaliseHandle(handle))?.id)
  return { organisations, people, memberships, apps, ties }
}

function listOrganisationKeys(file: ImportFile): Set<string> {
  const keys = new Set(file.organisations.map((organisation) => organisation.key))
  for (const person of file.people) for (const key of Object.keys(person.organisations ?? {})) keys.add(key)
  for (const app of file.apps) if (app.organisation) keys.add(app.organisation)
  return keys
}

export function listHandles(file: ImportFile): Set<string> {
  const handles = new Set<string>()
  for (const { handle, parents = [], friends = [] } of file.people)
    for (const one of [handle, ...parents, ...friends]) handles.add(normaliseHandle(one))
  for (const app of file.apps) if (app.owner) handles.add(normaliseHandle(app.owner))
  return handles
}

/** In how many apps these people can be found, where it is any. */
export async function countPlaces(db: Db, people: readonly number[]): Promise<Map<number, number>> {
  const places = new Map<number, number>()
  for (const batch of batches(people, BATCH))
    for (const { person_id, apps } of await db.all(peopleStore.countPlaces, { people: [...batch] }))
      places.set(person_id, apps)
  return places
}

/** Sentences about what is named and neither in the file nor in the environment. */
export async function findDangling(
  db: Db,
  environment: EnvironmentName,
  references: readonly Reference[],
): Promise<Mistake[]> {
  const keysOf = (kind: Reference['kind']) => [
    ...new Set(references.filter((reference) => reference.kind === kind).map(({ key }) => key.replaceAll('\0', ''))),
  ]
  const known = new Set<string>()
  for (const keys of batches(keysOf('organisation'), BATCH))
    for (const { key } of await db.all(store.findOrganisations, { keys: [...keys] })) known.add(`organisation ${key}`)
  // Nobody knows anonymous users by name.
  for (const handles of batches(keysOf('person'), BATCH))
    for (const row of await db.all(peopleStore.findPeople, { handles: [...handles] }))
      if (!row.anonymous) known.add(`person ${row.handle_key}`)
  const clientId = (key: string) => makeClientId(environment, key)
  for (const keys of batches(keysOf('app'), BATCH)) {
    const rows = await db.all(store.findAppIds, { clients: keys.map(clientId) })
    const clients = new Set(rows.map((row) => row.client_id))
    for (const key of keys) if (clients.has(clientId(key))) known.add(`app ${key}`)
  }
  return references
    .filter(({ kind, key }) => !known.has(`${kind} ${key}`))
    .map(({ place, kind }) => `${place}: is no ${kind} of this file or of ${environment}`)
}

/** What is wrong with the families of a file, now that everybody's date of birth can be told. */
export async function findFamilyMistakesHere(
  db: Db,
  file: ImportFile,
  { people }: Pick<Existing, 'people'>,
  now: Date,
): Promise<Mistake[]> {
  const births = readBirths(file.people)
  const madeChildren = new Map<string, { id: number; place: string }>()
  for (const [i, person] of file.people.entries()) {
    const handle = normaliseHandle(person.handle)
    const found = people.get(handle)
    if (!births.has(handle)) births.set(handle, found?.date_of_birth ?? null)
    else if (found && isChild(births.get(handle)!, now) && !isChild(found.date_of_birth, now))
      madeChildren.set(handle, { id: found.id, place: `people[${i}].dateOfBirth` })
  }
  for (const row of people.values()) if (!births.has(row.handle_key)) births.set(row.handle_key, row.date_of_birth)

  const mistakes = [...findFamilyMistakes(file.people, births, now)]
  for (const batch of batches([...madeChildren.values()], BATCH)) {
    const ids = batch.map(({ id }) => id)
    const born = childrenBornAfter(now)
    for (const { handle_key } of await db.all(peopleStore.findThoseWithChildren, { people: ids, born }))
      mistakes.push(`${madeChildren.get(handle_key)!.place}: must not make a child of somebody who looks after one`)
  }
  return mistakes
}
