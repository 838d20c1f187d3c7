import { makeClientId } from '../apps/apps.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { RowOf } from '../database/statement.ts'
import { normaliseHandle } from '../people/people.ts'
import type { Mistake, Reference } from './rules.ts'
import type { ImportFile } from './schema.ts'
import * as store from './store.ts'

const BATCH = 5000

/** What one environment has of the entries that a file names. */
export interface Existing {
  readonly organisations: ReadonlyMap<string, RowOf<typeof store.findOrganisations>>
  /** By the handle's normal form. */
  readonly people: ReadonlyMap<string, RowOf<typeof store.findPeople>>
  /** Role by organisation key, by person id. */
  readonly memberships: ReadonlyMap<number, ReadonlyMap<string, string>>
  /** By client ID. */
  readonly apps: ReadonlyMap<string, RowOf<typeof store.findApps>>
}

export function* batches<T>(items: readonly T[], size = BATCH): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += size) yield items.slice(i, i + size)
}

export async function readExisting(db: Db, environment: EnvironmentName, file: ImportFile): Promise<Existing> {
  const organisations = new Map<string, RowOf<typeof store.findOrganisations>>()
  for (const keys of batches([...listOrganisationKeys(file)])) {
    for (const row of await db.all(store.findOrganisations, { keys: [...keys] })) organisations.set(row.key, row)
  }
  const people = new Map<string, RowOf<typeof store.findPeople>>()
  for (const handles of batches([...listHandles(file)])) {
    for (const row of await db.all(store.findPeople, { handles: [...handles] })) people.set(row.handle_key, row)
  }
  const memberships = new Map<number, Map<string, string>>()
  for (const batch of batches([...people.values()])) {
    for (const row of await db.all(store.findMemberships, { people: batch.map((person) => person.id) })) {
      const roles = memberships.get(row.person_id) ?? new Map<string, string>()
      memberships.set(row.person_id, roles.set(row.key, row.role))
    }
  }
  const apps = new Map<string, RowOf<typeof store.findApps>>()
  for (const batch of batches(file.apps)) {
    const clients = batch.map((app) => makeClientId(environment, app.key))
    if (db.isTransaction) await db.all(store.lockApps, { clients })
    for (const row of await db.all(store.findApps, { clients })) apps.set(row.client_id, row)
  }
  return { organisations, people, memberships, apps }
}

function listOrganisationKeys(file: ImportFile): Set<string> {
  const keys = new Set(file.organisations.map((organisation) => organisation.key))
  for (const person of file.people) for (const key of Object.keys(person.organisations ?? {})) keys.add(key)
  for (const app of file.apps) if (app.organisation) keys.add(app.organisation)
  return keys
}

function listHandles(file: ImportFile): Set<string> {
  const handles = new Set(file.people.map((person) => normaliseHandle(person.handle)))
  for (const app of file.apps) if (app.owner) handles.add(normaliseHandle(app.owner))
  return handles
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
  for (const keys of batches(keysOf('organisation')))
    for (const { key } of await db.all(store.findOrganisations, { keys: [...keys] })) known.add(`organisation ${key}`)
  for (const handles of batches(keysOf('person')))
    for (const row of await db.all(store.findPeople, { handles: [...handles] })) known.add(`person ${row.handle_key}`)
  return references
    .filter(({ kind, key }) => !known.has(`${kind} ${key}`))
    .map(({ place, kind }) => `${place}: is no ${kind} of this file or of ${environment}`)
}
