import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { readContents } from '../classes/contents.ts'
import { classSection } from '../classes/import.ts'
import { ID_PATTERN } from '../courses/schema.ts'
import type { Field } from '../imports/fields.ts'
import type { Found, ImportTie } from '../imports/section.ts'
import { normaliseHandle } from '../people/handles.ts'
import { peopleSection } from '../people/import.ts'
import * as store from './import-store.ts'
import { answersText, resultOf } from './rules.ts'

const MAX_ATTEMPTS = 100_000

const Id = Type.String({ pattern: ID_PATTERN, maxLength: 64 })
const Time = Type.String({ pattern: '^(19|20)\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$' })
const Record = Type.Object(
  {
    id: Id,
    handle: Type.String({ minLength: 1, maxLength: 31 }),
    lesson: Id,
    started: Time,
    completed: Type.Optional(Time),
    pass: Type.Optional(Type.Boolean()),
    score: Type.Optional(Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })),
    answers: Type.Optional(Type.Array(Type.Unknown())),
    objectives: Type.Optional(Type.Record(Id, Type.Number({ minimum: 0, maximum: 100 }))),
  },
  { additionalProperties: false },
)
type Record = Static<typeof Record>
const shape = Compile(Record)

interface ClassEntry {
  readonly key: string
  readonly attempts?: unknown
}

const recordsOf = ({ attempts }: Partial<ClassEntry>): [number, Record][] =>
  Array.isArray(attempts) ? [...attempts.entries()].filter(([, one]) => shape.Check(one)) : []

/** Whose lesson it is. */
const placeOf = (classKey: string | undefined, { handle, lesson }: Record): string =>
  `${classKey} ${normaliseHandle(handle)} ${lesson}`

/** Attempts as another school or system kept them. They are history: they are told to nobody as news, and no lock stands in their way. */
export const attemptTie: ImportTie<ClassEntry, Found, ReadonlySet<string>, readonly Record[]> = {
  field: 'attempts',
  schema: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: MAX_ATTEMPTS,
      must: `a list of at most ${MAX_ATTEMPTS} attempts`,
      about: 'Attempts to add, recognised by id; existing ones stay as they are (see below)',
    } satisfies Field),
  ),
  when: 'after',
  isAdded: true,

  *check(classes, now) {
    const seen = new Set<string>()
    for (const [i, entry] of classes.entries()) {
      const place = `classes[${i}].attempts`
      for (const [j, one] of Array.isArray(entry.attempts) ? entry.attempts.entries() : [])
        for (const { instancePath, message } of shape.Errors(one).slice(0, 3))
          yield `${place}[${j}]${instancePath.replaceAll('/', '.')}: ${message}`
      const records = recordsOf(entry)
      for (const [j, { id, started, completed, answers }] of records) {
        if (seen.has(id)) yield `${place}[${j}].id: must be another: ${id} is there twice`
        seen.add(id)
        if (!isMoment(started, now)) yield `${place}[${j}].started: must be a time that is past`
        if (completed !== undefined && !(isMoment(completed, now) && Date.parse(completed) >= Date.parse(started)))
          yield `${place}[${j}].completed: must be a time that is past, and not before started`
        if (isTooLong(answers)) yield `${place}[${j}].answers: must be at most 256 KiB`
      }
      const byPlace = Map.groupBy(records, ([, one]) => placeOf(entry.key, one))
      for (const group of byPlace.values()) {
        const inOrder = group.toSorted(([, a], [, b]) => Date.parse(a.started) - Date.parse(b.started))
        for (const [n, [j, { started }]] of inOrder.entries()) {
          const before = inOrder[n - 1]?.[1]
          if (before && endOf(before) > Date.parse(started))
            yield `${place}[${j}]: must not overlap another attempt at the lesson: ${before.id} does`
        }
      }
    }
  },

  *refer(entry, place) {
    for (const [j, { handle }] of recordsOf(entry))
      yield { place: `${place}.attempts[${j}].handle`, to: peopleSection, key: normaliseHandle(handle) }
  },

  async checkHere(db, classes, world) {
    const all = classes.flatMap((entry, i) =>
      recordsOf(entry).map(([j, one]) => ({ entry, one, place: `classes[${i}].attempts[${j}]` })),
    )
    if (all.length === 0) return []
    const contentsOf = await readContents(db, classes, world)
    const owners = await db.all(store.findAttempts, { keys: all.map(({ one }) => one.id) })
    const ownerOf = new Map(owners.map((row) => [row.key, `${row.class} ${row.handle} ${row.lesson}`]))
    const fresh = all.filter(({ one }) => !ownerOf.has(one.id))
    const spans = fresh.flatMap(({ entry, one, place }) => {
      const found = world.find(classSection, entry.key)
      return found ? [{ class_id: found.id, place, ...toSpan(one) }] : []
    })
    const overlapping = await db.all(store.findOverlaps, { rows: JSON.stringify(spans) })
    return [
      ...all.flatMap(({ entry, one, place }) => {
        const contents = contentsOf(entry)
        const owner = ownerOf.get(one.id)
        const wrong = Object.keys(one.objectives ?? {}).filter((id) => !contents.hasObjective(id, one.lesson))
        return [
          ...(contents.hasStudent(one.handle) ? [] : [`${place}.handle: must be a student of the class`]),
          ...(contents.hasLesson(one.lesson) ? [] : [`${place}.lesson: must be a lesson of the class`]),
          ...wrong.map((id) => `${place}.objectives: must be objectives of the lesson, not ${id}`),
          ...(owner === undefined || owner === placeOf(entry.key, one)
            ? []
            : [`${place}.id: must be another: it is an attempt of somebody else, or at another lesson`]),
        ]
      }),
      ...overlapping.map(({ place }) => `${place}: must not overlap another attempt at the lesson`),
    ]
  },

  async read(db, classes) {
    const keys = classes.flatMap(({ entry }) => recordsOf(entry).map(([, { id }]) => id))
    return new Set((await db.all(store.findAttempts, { keys })).map(({ key }) => key))
  },
  plan(entry, _found, known) {
    const added = recordsOf(entry).flatMap(([, one]) => (known.has(one.id) ? [] : [one]))
    return added.length > 0 ? added : undefined
  },
  pick: (_entry, added) => added,

  async write(tx, who, changes) {
    const classes = changes.map(({ id }) => id)
    const graded = new Map(
      (await tx.all(store.listThresholds, { classes })).map((row) => [`${row.class_id} ${row.lesson}`, row]),
    )
    const rows = changes.flatMap(({ id, change }) =>
      change.map((one) => toRow(id, one, graded.get(`${id} ${one.lesson}`))),
    )
    await tx.all(store.insertAttempts, { rows: JSON.stringify(rows) })
    const scores = changes.flatMap(({ change }) =>
      change.flatMap(({ id, objectives = {} }) =>
        Object.entries(objectives).map(([objective, score]) => ({ attempt: id, objective, score })),
      ),
    )
    await tx.all(store.insertScores, { rows: JSON.stringify(scores) })
    await tx.all(store.renewStandings, { keys: rows.map(({ key }) => key), now: who.at })
  },
}

const isMoment = (text: string, now: Date): boolean => Date.parse(text) <= now.getTime()

const endOf = ({ completed }: Record): number => (completed === undefined ? Infinity : Date.parse(completed))

function isTooLong(answers: readonly unknown[] | undefined): boolean {
  try {
    answersText(answers)
    return false
  } catch {
    return true
  }
}

const toSpan = ({ handle, lesson, started, completed }: Record) => ({
  handle: normaliseHandle(handle),
  lesson,
  started: new Date(started),
  completed: completed === undefined ? null : new Date(completed),
})

/** One that is not completed is paused: nobody was at it since then, as far as is known. */
function toRow(
  classId: number,
  one: Record,
  lesson: { threshold: number | null; instructor_graded: boolean } | undefined,
) {
  const { id, pass = false, score = null, answers } = one
  const span = toSpan(one)
  const { started: start, completed } = span
  const end = completed ?? start
  const isCompleted = completed !== null
  const isGraded = one.pass !== undefined || one.score !== undefined
  const awaitsGrade = isCompleted && (lesson?.instructor_graded ?? false) && !isGraded
  const [result] = resultOf({ isCompleted, pass, score, threshold: lesson?.threshold ?? null, awaitsGrade })
  return {
    key: id,
    class_id: classId,
    ...span,
    state: isCompleted ? 'completed' : 'paused',
    pass,
    score,
    answers: answersText(answers) ?? null,
    progress: [{ start, end }],
    active_ms: end.getTime() - start.getTime(),
    result,
    awaits_grade: awaitsGrade,
    graded_at: isCompleted && lesson?.instructor_graded && isGraded ? completed : null,
  }
}
