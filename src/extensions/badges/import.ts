import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Field, Line } from '../../kernel/imports/fields.ts'
import { given, type ImportSection, type ImportTie, lineOf } from '../../kernel/imports/section.ts'
import { courseSection, ImportId } from '../../learning/courses/import.ts'
import type { CourseContent } from '../../learning/courses/schema.ts'
import { awardLater } from './awarding.ts'
import * as store from './import-store.ts'
import { isImage } from './rules.ts'

const Long = (about: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[^\\0\\p{Cs}]*$',
      maxLength: 10_000,
      must: 'a string of at most 10000 characters',
      about,
    } satisfies Field),
  )

const ImportedBadge = Type.Object({
  key: ImportId('The badgeId'),
  course: ImportId('Key of the course that it belongs to; it cannot be changed'),
  objective: Type.Optional(ImportId('The objective of the course that it belongs to; the whole course by default')),
  name: Line(200, 'Name of the badge; unique within its course or objective', { minLength: 1 }),
  description: Long('Empty by default'),
  type: Type.Optional(Line(100, '`course` or `objective` by default', { minLength: 1 })),
  image: Type.Optional(
    Type.Refine(
      Type.String({
        maxLength: 2000,
        must: 'an https URL, or an image id',
        about: 'None by default',
      } satisfies Field),
      isImage,
    ),
  ),
  issuerName: Type.Optional(Line(200, 'The name of the organisation by default', { minLength: 1 })),
  criteria: Long('What it is awarded for; empty by default'),
})
/**
 * A badge in an import file. A batch that only adds holders has entries with nothing but the key: in these, `course`
 * and `name` are undefined, although the type says otherwise.
 */
type BadgeEntry = Static<typeof ImportedBadge>
type StoredBadge = RowOf<typeof store.findBadges>
type BadgePlan = Pick<StoredBadge, 'name' | 'description' | 'image' | 'criteria'> & {
  readonly course: string
  readonly objective: string | null
  readonly type: string | null
  readonly issuer_name: string | null
}

export const badgeSection: ImportSection<BadgeEntry, StoredBadge, BadgePlan> = {
  name: 'badges',
  one: 'badge',
  key: 'key',
  schema: ImportedBadge,
  *refer({ course }, place) {
    if (typeof course === 'string') yield { place: `${place}.course`, to: courseSection, key: course }
  },
  find: (db, keys) => db.all(store.findBadges, { keys }),
  lock: (tx, { own }) => tx.all(store.lockBadges, { keys: own }),

  async checkHere(db, all, { find, inFile }) {
    const entries = all.filter(({ course }) => course !== undefined)
    const objectives = await db.all(store.findObjectives, { keys: entries.flatMap(({ objective }) => objective ?? []) })
    const isIn = (objective: string, course: string) => {
      const imported = inFile(courseSection, course) as CourseContent | undefined
      if (imported) return (imported.objectives ?? []).some(({ id }) => id === objective)
      return objectives.some((row) => row.key === objective && row.course === course)
    }
    const nameKey = (one: { course: string; objective?: string | null | undefined; name: string }) =>
      JSON.stringify([one.course, one.objective ?? null, lineOf(one.name)])
    const taken = new Map<string, string>()
    // Skip the stored names of badges that the file contains: the file may rename them.
    for (const row of await db.all(store.findNames, { courses: entries.map(({ course }) => course) }))
      if (!entries.some(({ key }) => key === row.key)) taken.set(nameKey(row), row.key)
    return all.flatMap((entry, i) => {
      const { key, course, objective } = entry
      if (course === undefined) return []
      const found = find(badgeSection, key)
      const owner = taken.get(nameKey(entry))
      taken.set(nameKey(entry), key)
      return [
        ...(objective === undefined || isIn(objective, course)
          ? []
          : [`badges[${i}].objective: must be an objective of the course`]),
        ...(owner === undefined ? [] : [`badges[${i}].name: must be unique: the badge ${owner} has it`]),
        ...(found && (found.course !== course || found.objective !== (objective ?? null))
          ? [`badges[${i}]: must keep its course and objective`]
          : []),
      ]
    })
  },

  plan(entry, found) {
    const change = {
      course: given(entry.course, found?.course)!,
      objective: given(entry.objective, found?.objective),
      name: given(lineOf(entry.name), found?.name)!,
      description: given(entry.description, found?.description) ?? '',
      type: given(lineOf(entry.type), found?.type),
      image: given(entry.image, found?.image) ?? '',
      issuer_name: given(lineOf(entry.issuerName), found?.issuer_name),
      criteria: given(entry.criteria, found?.criteria) ?? '',
    }
    const fields = Object.keys(change) as (keyof BadgePlan)[]
    return { change, isSame: found !== undefined && fields.every((field) => found[field] === change[field]) }
  },

  async write(tx, who, changes, { idOf }) {
    const rows = changes.map(({ key, id, change }) => ({ key, id, ...change }))
    const updated = rows.filter(({ id }) => id !== undefined)
    if (updated.length > 0) await tx.all(store.updateBadges, { rows: JSON.stringify(updated), now: who.at })
    const created = rows
      .filter(({ id }) => id === undefined)
      .map((row) => ({ ...row, course_id: idOf(courseSection, row.course) }))
    if (created.length === 0) return []
    const made = await tx.all(store.insertBadges, { rows: JSON.stringify(created), now: who.at })
    await awardLater(
      tx,
      who,
      made.map(({ id }) => id),
    )
    return made
  },
}

const MAX_HOLDERS = 100_000

const Holder = Type.Object(
  {
    handle: Type.String({ minLength: 1, maxLength: 31 }),
    issued: Type.String({ pattern: '^(19|20)\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$' }),
  },
  { additionalProperties: false },
)
type Holder = Static<typeof Holder>
const shape = Compile(Holder)

interface HeldEntry {
  readonly key: string
  readonly holders?: unknown
}

const holdersOf = ({ holders }: Partial<HeldEntry>): [number, Holder][] =>
  Array.isArray(holders) ? [...holders.entries()].filter(([, one]) => shape.Check(one)) : []

/**
 * Imports people who already hold the badge, as recorded by another school or system. This records the past, so it
 * emits no events.
 */
export const holderTie: ImportTie<HeldEntry, StoredBadge, ReadonlySet<string>, readonly Holder[]> = {
  field: 'holders',
  schema: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: MAX_HOLDERS,
      must: `a list of at most ${MAX_HOLDERS} holders, each with handle and issued`,
      about:
        'Users who hold it, and since when: `{"handle": "@avery", "issued": "2026-05-01T12:00:00Z"}`. They are added; none is removed',
    } satisfies Field),
  ),
  when: 'after',
  isAdded: true,

  *check(badges, now) {
    for (const [i, entry] of badges.entries()) {
      const place = `badges[${i}].holders`
      for (const [j, one] of Array.isArray(entry.holders) ? entry.holders.entries() : [])
        for (const { instancePath, message } of shape.Errors(one).slice(0, 3))
          yield `${place}[${j}]${instancePath.replaceAll('/', '.')}: ${message}`
      for (const [j, { issued }] of holdersOf(entry))
        if (!(Date.parse(issued) <= now.getTime())) yield `${place}[${j}].issued: must be in the past`
    }
  },

  *refer(entry, place) {
    for (const [j, { handle }] of holdersOf(entry))
      yield { place: `${place}.holders[${j}].handle`, to: peopleSection, key: normaliseHandle(handle) }
  },

  async read(db, badges) {
    const rows = await db.all(store.findHolders, { badges: badges.map(({ id }) => id) })
    return new Set(rows.map(({ badge, handle }) => `${badge} ${handle}`))
  },
  plan(entry, _found, known) {
    const added = holdersOf(entry).flatMap(([, one]) =>
      known.has(`${entry.key} ${normaliseHandle(one.handle)}`) ? [] : [one],
    )
    return added.length > 0 ? added : undefined
  },
  pick: (_entry, added) => added,

  async write(tx, who, changes, { idOf }) {
    const rows = changes.flatMap(({ id, change }) =>
      change.map(({ handle, issued }) => ({
        badge_id: id,
        person_id: idOf(peopleSection, normaliseHandle(handle)),
        issued: new Date(issued),
      })),
    )
    await tx.all(store.insertHolders, { rows: JSON.stringify(rows), now: who.at })
  },
}
