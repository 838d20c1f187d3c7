import { APPS_CHANGED } from '../apps/apps.ts'
import type { Caller } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { notify } from '../database/listener.ts'
import { searchKeys } from '../people/search-keys.ts'
import { endSessionsOfPerson, REVOKED, type Revocation } from '../sessions/sessions.ts'
import type { Existing } from './existing.ts'
import * as peopleStore from './people-store.ts'
import type { AppPlan, PersonPlan, Plan } from './plan.ts'
import * as store from './store.ts'
import { writeFriends, writeParents, writeUsers } from './ties.ts'

/** Ids by natural key, of what existed and of what this import makes. */
type Ids = Map<string, number>

/** Writes what was planned for one part, in a few statements. Whom it changes, and who becomes a friend, is locked already. */
export async function writePlan(
  tx: Db,
  who: Caller,
  what: { readonly plan: Plan; readonly existing: Existing },
): Promise<void> {
  const { plan, existing } = what
  const organisations = await writeOrganisations(tx, who, plan, existing)
  const ids = await writePeople(tx, who, plan, existing, organisations)
  const people = [...plan.people.created, ...plan.people.updated]
  await writeParents(tx, who, people, ids)
  await writeFriends(tx, who, people, ids)
  const made = await writeApps(tx, who, plan, organisations, ids)
  await writeUsers(tx, who, { people, ids, apps: new Map([...existing.ties.apps, ...made]) })
}

async function writeOrganisations(tx: Db, who: Caller, plan: Plan, existing: Existing): Promise<Ids> {
  const ids: Ids = new Map([...existing.organisations.values()].map((row) => [row.key, row.id]))
  const { created, updated } = plan.organisations
  if (created.length > 0) {
    const made = await tx.all(store.insertOrganisations, { rows: JSON.stringify(created), now: who.at })
    for (const row of made) ids.set(row.key, row.id)
  }
  if (updated.length > 0) await tx.all(store.updateOrganisations, { rows: JSON.stringify(updated) })
  return ids
}

async function writePeople(tx: Db, who: Caller, plan: Plan, existing: Existing, organisations: Ids): Promise<Ids> {
  const ids: Ids = new Map([...existing.people.values()].map((row) => [row.handle_key, row.id]))
  const { created, updated } = plan.people
  if (created.length > 0) {
    const rows = created.map((person) => ({ ...toRow(person), handle_key: person.handle_key }))
    const made = await tx.all(peopleStore.insertPeople, { rows: JSON.stringify(rows), now: who.at })
    for (const row of made) ids.set(row.handle_key, row.id)
  }
  const rows = updated.filter(({ changed }) => changed.size > 0).map((person) => ({ ...toRow(person), id: person.id }))
  if (rows.length > 0) await tx.all(peopleStore.updatePeople, { rows: JSON.stringify(rows) })
  await writeMemberships(tx, [...created, ...updated], ids, organisations)
  for (const { id, isPasswordReplaced } of updated) {
    if (isPasswordReplaced) await endSessionsOfPerson(tx, who, { personId: id, reason: 'password changed' })
  }
  return ids
}

const toRow = ({ row }: PersonPlan) => ({
  ...row,
  search_keys: searchKeys({ handle: row.handle, firstName: row.first_name, lastName: row.last_name }),
})

async function writeMemberships(tx: Db, people: readonly PersonPlan[], ids: Ids, organisations: Ids): Promise<void> {
  const concerned = people.filter(({ memberships }) => memberships !== undefined)
  if (concerned.length === 0) return
  const rows = concerned.flatMap(({ handle_key, memberships }) =>
    [...memberships!].map(([key, role]) => ({
      person_id: ids.get(handle_key),
      organisation_id: organisations.get(key),
      role,
    })),
  )
  const members = concerned.map(({ handle_key }) => ids.get(handle_key)!)
  await tx.all(peopleStore.replaceMemberships, { people: members, rows: JSON.stringify(rows) })
}

/** Gives the ids of new apps by client ID. */
async function writeApps(tx: Db, who: Caller, plan: Plan, organisations: Ids, people: Ids): Promise<Ids> {
  const { created, updated } = plan.apps
  const ids: Ids = new Map()
  if (created.length + updated.length === 0) return ids
  const toAppRow = ({ row, organisation, owner }: AppPlan) => ({
    ...row,
    organisation_id: organisation === null ? null : organisations.get(organisation),
    owner_id: owner === null ? null : people.get(owner),
  })
  const newRows = created.map((app) => ({ ...toAppRow(app), client_id: app.client_id }))
  const made = await tx.all(store.insertApps, { rows: JSON.stringify(newRows), now: who.at })
  for (const row of made) ids.set(row.client_id, row.id)
  const changedRows = updated.map((app) => ({ ...toAppRow(app), id: app.id }))
  await tx.all(store.updateApps, { rows: JSON.stringify(changedRows) })
  await writeAppLists(tx, who, [...created.map((app) => ({ ...app, id: ids.get(app.client_id)! })), ...updated])
  for (const { id, isWithdrawn } of updated) {
    if (isWithdrawn) await notify(tx, REVOKED, { appId: id } satisfies Revocation)
  }
  await notify(tx, APPS_CHANGED)
  return ids
}

async function writeAppLists(
  tx: Db,
  who: Caller,
  planned: readonly (AppPlan & { readonly id: number })[],
): Promise<void> {
  const apps = planned.map((app) => app.id)
  const listRows = (list: (app: AppPlan) => readonly string[]) =>
    JSON.stringify(planned.flatMap((app) => list(app).map((value) => ({ app_id: app.id, value }))))
  const storage = planned.map((app) => ({ app_id: app.id, blocks_limit: app.blocks_limit }))
  await tx.all(store.setStorageLimits, { rows: JSON.stringify(storage) })
  await tx.all(store.replaceRedirectUris, { apps, rows: listRows((app) => app.redirectUris) })
  await tx.all(store.replaceOrigins, { apps, rows: listRows((app) => app.origins) })
  await tx.all(store.replaceSecrets, { apps, rows: listRows((app) => app.secrets), now: who.at })
}
