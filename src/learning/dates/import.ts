import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import type { Field } from '../../kernel/imports/fields.ts'
import type { ImportTie, StoredEntry } from '../../kernel/imports/section.ts'
import { type Contents, readContents } from '../classes/contents.ts'
import { RecordHandle, RecordId } from '../classes/import-records.ts'
import { orderMistake } from './rules.ts'
import { MAX_DATES } from './schema.ts'
import * as store from './store.ts'

const Time = Type.String({
  pattern: '^2(0\\d\\d|1\\d\\d|200)-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$',
})
const Dates = Type.Object(
  {
    lesson: Type.Optional(RecordId),
    /** The handle of the student whom the override is for. */
    handle: Type.Optional(RecordHandle),
    opens: Type.Optional(Time),
    due: Type.Optional(Time),
    closes: Type.Optional(Time),
  },
  { additionalProperties: false, minProperties: 1 },
)
type Dates = Static<typeof Dates>
const shape = Compile(Dates)

interface ClassEntry {
  readonly key: string
  readonly dates?: unknown
}

const listOf = ({ dates }: ClassEntry): unknown[] => (Array.isArray(dates) ? dates : [])
const datesOf = (entry: ClassEntry): [number, Dates][] =>
  [...listOf(entry).entries()].filter((pair): pair is [number, Dates] => shape.Check(pair[1]))
const keyOf = ({ lesson = '', handle = '' }: Dates): string => `${lesson} ${handle && normaliseHandle(handle)}`
const toInstant = (time: string | undefined): string | null =>
  time === undefined ? null : new Date(time).toISOString()
const isReal = (time: string | undefined): boolean => time === undefined || !Number.isNaN(Date.parse(time))
const textOf = (key: string, { opens, due, closes }: { [K in 'opens' | 'due' | 'closes']: string | null }): string =>
  `${key} ${opens} ${due} ${closes}`

/**
 * Finds dates in the wrong order, for everybody and for each student with overrides. The rule of `dates_of`: the
 * student's dates win over those of everybody, and those of the lesson over its parent's and those of the class.
 */
function disordered(entry: ClassEntry, { parentOf }: Contents, place: string): string[] {
  const found = datesOf(entry)
  const byKey = new Map(found.map(([j, one]) => [keyOf(one), [j, one] as const]))
  const lessons = [...new Set(found.map(([, { lesson }]) => lesson ?? ''))]
  const handles = [...new Set(found.map(([, { handle }]) => (handle === undefined ? '' : normaliseHandle(handle))))]
  const mistakes = new Map<number, string>()
  for (const lesson of lessons) {
    const chain = [...new Set(['', parentOf(lesson) ?? '', lesson])]
    for (const handle of handles) {
      const keys = [...new Set(['', handle])].flatMap((whose) => chain.map((one) => `${one} ${whose}`))
      const rows = keys.map((key) => byKey.get(key)).filter((row) => row !== undefined)
      const [last] = rows.at(-1) ?? []
      const mistake = orderMistake(Object.assign({}, ...rows.map(([, one]) => one)))
      if (mistake && last !== undefined) mistakes.set(last, `${place}[${last}]: ${mistake}`)
    }
  }
  return [...mistakes].toSorted(([one], [other]) => one - other).map(([, mistake]) => mistake)
}

/** Imports the dates of a class, its lessons and its students. The list in the file replaces the stored one. */
export const dateTie: ImportTie<ClassEntry, StoredEntry, ReadonlyMap<number, ReadonlySet<string>>, readonly Dates[]> = {
  field: 'dates',
  schema: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: MAX_DATES,
      must: `a list of at most ${MAX_DATES} dates`,
      about: 'All dates of the class, of its lessons and of single students; others are removed (see below)',
    } satisfies Field),
  ),
  when: 'after',

  *check(classes) {
    for (const [i, entry] of (classes as readonly ClassEntry[]).entries()) {
      const place = `classes[${i}].dates`
      for (const [j, one] of listOf(entry).entries())
        for (const { instancePath, message } of shape.Errors(one).slice(0, 3))
          yield `${place}[${j}]${instancePath.replaceAll('/', '.')}: ${message}`
      const found = datesOf(entry)
      const byKey = new Map<string, Dates>()
      for (const [j, one] of found) {
        if (![one.opens, one.due, one.closes].every(isReal)) yield `${place}[${j}]: must have times that exist`
        else if (one.opens ?? one.due ?? one.closes) byKey.set(keyOf(one), one)
        else yield `${place}[${j}]: must have opens, due or closes`
      }
      if (byKey.size < found.length) yield `${place}: must have one entry for each lesson and student`
    }
  },

  *refer(entry, place) {
    for (const [j, { handle }] of datesOf(entry as ClassEntry))
      if (handle !== undefined)
        yield { place: `${place}.dates[${j}].handle`, to: peopleSection, key: normaliseHandle(handle) }
  },

  async checkHere(db, classes, world) {
    if (classes.every((entry) => datesOf(entry).length === 0)) return []
    const contentsOf = await readContents(db, classes, world)
    return classes.flatMap((entry, i) => {
      const contents = contentsOf(entry)
      const misplaced = datesOf(entry).flatMap(([j, { lesson, handle }]) => [
        ...(lesson === undefined || contents.hasLesson(lesson)
          ? []
          : [`classes[${i}].dates[${j}].lesson: must be a lesson of the class`]),
        ...(handle === undefined || contents.hasStudent(handle)
          ? []
          : [`classes[${i}].dates[${j}].handle: must be a student of the class`]),
      ])
      return misplaced.length > 0 ? misplaced : disordered(entry, contents, `classes[${i}].dates`)
    })
  },

  async read(db, classes) {
    const named = classes.filter(({ entry }) => entry.dates !== undefined).map(({ id }) => id)
    const rows = await db.all(store.findImported, { classes: named })
    return new Map(
      [...Map.groupBy(rows, (row) => row.class_id)].map(([id, dates]) => [
        id,
        new Set(
          dates.map((row) =>
            textOf(`${row.lesson ?? ''} ${row.handle ?? ''}`, {
              opens: row.opens_at,
              due: row.due_at,
              closes: row.closes_at,
            }),
          ),
        ),
      ]),
    )
  },
  plan(entry, found, state) {
    if (entry.dates === undefined) return undefined
    const wanted = datesOf(entry).map(([, one]) => one)
    const stored = (found && state.get(found.id)) ?? new Set()
    const isStored = (one: Dates) =>
      stored.has(
        textOf(keyOf(one), { opens: toInstant(one.opens), due: toInstant(one.due), closes: toInstant(one.closes) }),
      )
    return wanted.length === stored.size && wanted.every(isStored) ? undefined : wanted
  },
  pick: (_entry, wanted) => wanted,
  async write(tx, who, changes, { idOf }) {
    const rows = changes.flatMap(({ id, change }) =>
      change.map(({ lesson = null, handle, opens = null, due = null, closes = null }) => ({
        class_id: id,
        lesson,
        person_id: handle === undefined ? null : idOf(peopleSection, normaliseHandle(handle)),
        opens,
        due,
        closes,
      })),
    )
    await tx.all(store.replaceImported, {
      classes: changes.map(({ id }) => id),
      rows: JSON.stringify(rows),
      now: who.at,
    })
  },
}
