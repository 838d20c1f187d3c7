import { APPS_CHANGED } from '../apps/apps.ts'
import type { Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { notify } from '../database/listener.ts'
import { fail } from '../errors.ts'
import { endSessionsOfPerson, REVOKED, type Revocation } from '../sessions/sessions.ts'
import { batches } from './batches.ts'
import type { Existing } from './existing.ts'
import * as peopleStore from './people-store.ts'
import type { AppPlan, PersonPlan, Plan } from './plan.ts'
import { searchKeys } from './rules.ts'
import * as store from './store.ts'
import { writeFriends, writeParents, writeUsers } from './ties.ts'

const BATCH = 1000
const LOCK_BATCH = 5000

export const changedMeanwhile = (): Error =>
  fail('conflict', 'Somebody changed what the file names meanwhile; nothing was imported, so import it again')

/** Ids by natural key, of what existed and of what this import makes. */
type Ids = Map<string, number>

/** Writes what was planned, in a few statements for each thousand entries. */
export async function writePlan(
  tx: Db,
  who: Caller,
  what: { readonly plan: Plan; readonly existing: Existing },
  onProgress: { readonly people: (count: number) => void; readonly users: (done: number, total: number) => void },
): Promise<void> {
  const { plan, existing } = what
  const organisations = await writeOrganisations(tx, who, plan, existing)
  const ids = await writePeople(tx, who, plan, existing, organisations, onProgress.people)
  const people = [...plan.people.created, ...plan.people.updated]
  await writeParents(tx, who, people, ids)
  await writeFriends(tx, who, people, ids)
  const made = await writeApps(tx, who, plan, organisations, ids)
  await writeUsers(tx, who, { people, ids, apps: new Map([...existing.ties.apps, ...made]) }, onProgress.users)
}

async function writeOrganisations(tx: Db, who: Caller, plan: Plan, existing: Existing): Promise<Ids> {
  const ids: Ids = new Map([...existing.organisations.values()].map((row) => [row.key, row.id]))
  for (const rows of batches(plan.organisations.created, BATCH)) {
    const made = await tx.all(store.insertOrganisations, { rows: JSON.stringify(rows), now: who.at })
    for (const row of made) ids.set(row.key, row.id)
  }
  for (const rows of batches(plan.organisations.updated, BATCH))
    await tx.all(store.updateOrganisations, { rows: JSON.stringify(rows) })
  return ids
}

async function writePeople(
  tx: Db,
  who: Caller,
  plan: Plan,
  existing: Existing,
  organisations: Ids,
  onPeople: (count: number) => void,
): Promise<Ids> {
  const ids: Ids = new Map([...existing.people.values()].map((row) => [row.handle_key, row.id]))
  const { created, updated } = plan.people
  await lockPeople(tx, plan, ids)
  for (const batch of batches(created, BATCH)) {
    const rows = batch.map((person) => ({ ...toRow(person), handle_key: person.handle_key }))
    const made = await tx.all(peopleStore.insertPeople, { rows: JSON.stringify(rows), now: who.at })
    for (const row of made) ids.set(row.handle_key, row.id)
    await writeMemberships(tx, batch, ids, organisations)
    onPeople(batch.length)
  }
  for (const batch of batches(updated, BATCH)) {
    const rows = batch
      .filter(({ isRowSame }) => !isRowSame)
      .map((person) => ({ ...toRow(person), id: person.id, row_version: person.row_version }))
    const done = rows.length === 0 ? [] : await tx.all(peopleStore.updatePeople, { rows: JSON.stringify(rows) })
    if (done.length < rows.length) throw changedMeanwhile()
    await writeMemberships(tx, batch, ids, organisations)
    onPeople(batch.length)
  }
  for (const { id, isPasswordReplaced } of updated) {
    if (isPasswordReplaced) await endSessionsOfPerson(tx, who, { personId: id, reason: 'password changed' })
  }
  return ids
}

/**
 * Everybody who changes, and who becomes a friend: all at once and in order, so that nobody who does the same waits for us while we wait for them. Refuses where somebody
 * has changed since they were read.
 */
async function lockPeople(tx: Db, plan: Plan, ids: Ids): Promise<void> {
  const versions = new Map(plan.people.updated.map(({ id, row_version }) => [id, row_version]))
  const wanted = new Set(versions.keys())
  for (const { handle_key, ties } of [...plan.people.created, ...plan.people.updated]) {
    for (const handle of [handle_key, ...ties.friends]) {
      const id = ids.get(handle)
      if (id !== undefined) wanted.add(id)
    }
  }
  for (const people of batches(
    [...wanted].sort((one, other) => one - other),
    LOCK_BATCH,
  )) {
    const locked = await tx.all(peopleStore.lockPeople, { people: [...people] })
    const isAsRead = locked.every(({ id, row_version }) => (versions.get(id) ?? row_version) === row_version)
    if (locked.length < people.length || !isAsRead) throw changedMeanwhile()
  }
}

const toRow = ({ row }: PersonPlan) => ({
  ...row,
  search_keys: searchKeys({ handle: row.handle, firstName: row.first_name, lastName: row.last_name }),
})

async function writeMemberships(tx: Db, batch: readonly PersonPlan[], people: Ids, organisations: Ids): Promise<void> {
  const concerned = batch.filter(({ memberships }) => memberships !== undefined)
  if (concerned.length === 0) return
  const rows = concerned.flatMap(({ handle_key, memberships }) =>
    [...memberships!].map(([key, role]) => ({
      person_id: people.get(handle_key),
      organisation_id: organisations.get(key),
      role,
    })),
  )
  const ids = concerned.map(({ handle_key }) => people.get(handle_key)!)
  await tx.all(peopleStore.replaceMemberships, { people: ids, rows: JSON.stringify(rows) })
}

/** Gives the ids of new apps by client ID. */
async function writeApps(tx: Db, who: Caller, plan: Plan, organisations: Ids, people: Ids): Promise<Ids> {
  const { created, updated } = plan.apps
  const ids: Ids = new Map()
  const toAppRow = ({ row, organisation, owner }: AppPlan) => ({
    ...row,
    organisation_id: organisation === null ? null : organisations.get(organisation),
    owner_id: owner === null ? null : people.get(owner),
  })
  for (const batch of batches(created, BATCH)) {
    const rows = batch.map((app) => ({ ...toAppRow(app), client_id: app.client_id }))
    const made = await tx.all(store.insertApps, { rows: JSON.stringify(rows), now: who.at })
    for (const row of made) ids.set(row.client_id, row.id)
    await writeAppLists(
      tx,
      who,
      batch.map((app) => ({ ...app, id: ids.get(app.client_id)! })),
    )
  }
  for (const batch of batches(updated, BATCH)) {
    await tx.all(store.updateApps, { rows: JSON.stringify(batch.map((app) => ({ ...toAppRow(app), id: app.id }))) })
    await writeAppLists(tx, who, batch)
  }
  for (const { id, isWithdrawn } of updated) {
    if (isWithdrawn) await notify(tx, REVOKED, { appId: id } satisfies Revocation)
  }
  if (created.length + updated.length > 0) await notify(tx, APPS_CHANGED)
  return ids
}

async function writeAppLists(
  tx: Db,
  who: Caller,
  batch: readonly (AppPlan & { readonly id: number })[],
): Promise<void> {
  const apps = batch.map((app) => app.id)
  const listRows = (list: (app: AppPlan) => readonly string[]) =>
    JSON.stringify(batch.flatMap((app) => list(app).map((value) => ({ app_id: app.id, value }))))
  const storage = batch.map((app) => ({ app_id: app.id, blocks_limit: app.blocks_limit }))
  await tx.all(store.setStorageLimits, { rows: JSON.stringify(storage) })
  await tx.all(store.replaceRedirectUris, { apps, rows: listRows((app) => app.redirectUris) })
  await tx.all(store.replaceOrigins, { apps, rows: listRows((app) => app.origins) })
  await tx.all(store.replaceSecrets, { apps, rows: listRows((app) => app.secrets), now: who.at })
}
