import { type Static, Type } from 'typebox'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Field, Key, Line, Matching, Seen } from '../../kernel/imports/fields.ts'
import { type ImportSection, type ImportTie, isObject, lineOf, readInBatches } from '../../kernel/imports/section.ts'
import { isTimeZone, TIME_ZONE_MUST } from './rules.ts'
import * as store from './store.ts'

const Organisation = Type.Object({
  key: Key('Identifies the organisation in this file and in later ones'),
  name: Line(200, 'Name of the organisation', { minLength: 1 }),
  timeZone: Type.Optional(
    Matching(
      '^[A-Za-z0-9_+/-]{1,60}$',
      TIME_ZONE_MUST,
      'The zone in which dates of classes are entered; UTC by default',
    ),
  ),
})

type OrganisationRow = RowOf<typeof store.findOrganisations>

interface OrganisationPlan {
  readonly name: string
  readonly time_zone: string
}

export const organisationSection: ImportSection<Static<typeof Organisation>, OrganisationRow, OrganisationPlan> = {
  name: 'organisations',
  one: 'organisation',
  key: 'key',
  schema: Organisation,
  find: (db, keys) => db.all(store.findOrganisations, { keys }),
  *check({ timeZone }, place) {
    if (typeof timeZone === 'string' && !isTimeZone(timeZone)) yield `${place}.timeZone: must be ${TIME_ZONE_MUST}`
  },
  plan({ name, timeZone }, found) {
    const change = { name: lineOf(name), time_zone: timeZone ?? found?.time_zone ?? 'UTC' }
    return { change, isSame: found?.name === change.name && found.time_zone === change.time_zone }
  },
  async write(tx, who, changes) {
    const rows = changes.map(({ key, id, change }) => ({ key, id, ...change }))
    const [made, kept] = [rows.filter(({ id }) => id === undefined), rows.filter(({ id }) => id !== undefined)]
    if (kept.length > 0) await tx.all(store.updateOrganisations, { rows: JSON.stringify(kept) })
    return made.length === 0 ? [] : tx.all(store.insertOrganisations, { rows: JSON.stringify(made), now: who.at })
  },
}

interface PersonWithMemberships {
  readonly organisations?: Readonly<Record<string, string>>
}
/** A person's roles, by the key of the organisation. */
type Roles = ReadonlyMap<string, string>

/** Imports the memberships of people in organisations. */
export const memberTie: ImportTie<
  PersonWithMemberships,
  { id: number; key: string },
  ReadonlyMap<number, Roles>,
  Roles
> = {
  field: 'organisations',
  schema: Type.Optional(
    Type.Record(Type.String(), Seen(1, 60), {
      must: 'an object of organisation key and role, such as {"sandhills": "instructor"}',
      about: 'All memberships of the user; others are removed',
    } satisfies Field),
  ),
  when: 'with',
  *refer({ organisations }, place) {
    for (const key of isObject(organisations) ? Object.keys(organisations) : [])
      yield { place: `${place}.organisations.${key}`, to: organisationSection, key }
  },
  async read(db, people) {
    const named = people.filter(({ entry }) => entry.organisations !== undefined).map(({ id }) => id)
    const roles = new Map<number, Map<string, string>>()
    for (const row of await readInBatches(named, (batch) => db.all(store.findMemberships, { people: batch })))
      roles.set(row.person_id, (roles.get(row.person_id) ?? new Map()).set(row.key, row.role))
    return roles
  },
  plan({ organisations }, found, state) {
    if (organisations === undefined) return undefined
    const wanted = new Map(Object.entries(organisations))
    const stored: Roles = (found && state.get(found.id)) ?? new Map()
    return isSameMap(wanted, stored) ? undefined : wanted
  },
  pick: ({ organisations }) => organisations,
  async write(tx, _who, changes, world) {
    const rows = changes.flatMap(({ id, change }) =>
      [...change].map(([key, role]) => ({
        person_id: id,
        organisation_id: world.idOf(organisationSection, key),
        role,
      })),
    )
    await tx.all(store.replaceMemberships, { people: changes.map(({ id }) => id), rows: JSON.stringify(rows) })
  },
}

const isSameMap = (one: Roles, other: Roles): boolean =>
  one.size === other.size && [...one].every(([key, value]) => other.get(key) === value)
