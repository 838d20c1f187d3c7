import { type Static, Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Mistake, World } from '../../kernel/imports/section.ts'
import { classSection } from '../classes/import.ts'
import { RecordHandle, RecordId, RecordTime, recordTie } from '../classes/import-records.ts'
import type { LessonKind } from '../courses/schema.ts'
import { resultOf } from './attempt.ts'
import * as store from './import-store.ts'
import { answersText } from './rules.ts'

const Attempt = Type.Object(
  {
    id: RecordId,
    handle: RecordHandle,
    lesson: RecordId,
    started: RecordTime,
    completed: Type.Optional(RecordTime),
    pass: Type.Optional(Type.Boolean()),
    score: Type.Optional(Type.Number({ minimum: -1_000_000, maximum: 1_000_000 })),
    answers: Type.Optional(Type.Array(Type.Unknown())),
    objectives: Type.Optional(Type.Record(RecordId, Type.Number({ minimum: 0, maximum: 100 }))),
    /** Whether the student is working on the attempt, which is not completed. Otherwise it is paused. */
    working: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
)
type Attempt = Static<typeof Attempt>

/** When an attempt took place. Quizzes and evaluations have the same fields. */
interface AttemptSpan {
  readonly id: string
  readonly handle: string
  readonly lesson: string
  readonly started: string
  readonly completed?: string
}

/** An attempt to import, also of a lesson whose results another room records. */
export interface ImportedAttempt extends Attempt {
  /** Whether an instructor still has to grade it; by default it follows from the lesson. */
  readonly awaitsGrade?: boolean
}

interface PlacedSpan {
  readonly one: AttemptSpan
  readonly entry: { readonly key: string }
  readonly place: string
}

/** Identifies a student's lesson within a class. Attempts with the same key must not overlap. */
const studentLessonKey = ({ handle, lesson }: AttemptSpan): string => `${normaliseHandle(handle)} ${lesson}`

/** Finds attempts of one class that end before they start, or overlap. */
export function* findSpanMistakes(records: readonly [number, AttemptSpan][], place: string): Generator<Mistake> {
  for (const [j, { started, completed }] of records)
    if (completed !== undefined && Date.parse(completed) < Date.parse(started))
      yield `${place}[${j}].completed: must not be before started`
  for (const group of Map.groupBy(records, ([, one]) => studentLessonKey(one)).values()) {
    const inOrder = group.toSorted(([, a], [, b]) => Date.parse(a.started) - Date.parse(b.started))
    for (const [n, [j, { started }]] of inOrder.entries()) {
      const before = inOrder[n - 1]?.[1]
      if (before && endOf(before) > Date.parse(started))
        yield `${place}[${j}]: must not overlap another attempt at the lesson: ${before.id} does`
    }
  }
}

/** Finds attempts whose id another attempt has, or that overlap a stored attempt. */
export async function findStoredMistakes(db: Db, attempts: readonly PlacedSpan[], world: World): Promise<Mistake[]> {
  const owners = await db.all(store.findAttempts, { keys: attempts.map(({ one }) => one.id) })
  const ownerOf = new Map(owners.map((row) => [row.key, `${row.class} ${row.handle} ${row.lesson}`]))
  const spans = attempts.flatMap(({ entry, one, place }) => {
    const found = ownerOf.has(one.id) ? undefined : world.find(classSection, entry.key)
    return found ? [{ class_id: found.id, place, ...toSpan(one) }] : []
  })
  const overlapping = await db.all(store.findOverlaps, { rows: JSON.stringify(spans) })
  return [
    ...attempts.flatMap(({ entry, one, place }) => {
      const owner = ownerOf.get(one.id)
      return owner === undefined || owner === `${entry.key} ${studentLessonKey(one)}`
        ? []
        : [`${place}.id: must be unique: it is an attempt of another student, or at another lesson`]
    }),
    ...overlapping.map(({ place }) => `${place}: must not overlap another attempt at the lesson`),
  ]
}

export const findAttemptIds = async (db: Db, keys: string[]): Promise<string[]> =>
  (await db.all(store.findAttempts, { keys })).map(({ key }) => key)

/** Stores attempts with the scores of their objectives. `id` is the class. */
export async function writeAttempts(
  tx: Tx,
  who: Caller,
  changes: readonly { readonly id: number; readonly change: readonly ImportedAttempt[] }[],
): Promise<void> {
  const classes = changes.map(({ id }) => id)
  const graded = new Map(
    (await tx.all(store.listThresholds, { classes })).map((row) => [`${row.class_id} ${row.lesson}`, row]),
  )
  const rows = changes.flatMap(({ id, change }) =>
    change.map((one) => toRow(id, one, graded.get(`${id} ${one.lesson}`))),
  )
  await tx.all(store.insertAttempts, { rows: JSON.stringify(rows), now: who.at })
  const scores = changes.flatMap(({ change }) =>
    change.flatMap(({ id, objectives = {} }) =>
      Object.entries(objectives).map(([objective, score]) => ({ attempt: id, objective, score })),
    ),
  )
  await tx.all(store.insertScores, { rows: JSON.stringify(scores) })
  await tx.all(store.renewStandings, { keys: rows.map(({ key }) => key), now: who.at })
}

/** Imports attempts that another school or system has recorded, even if the lesson is locked. */
export const attemptTie = recordTie<typeof Attempt, Attempt>({
  field: 'attempts',
  schema: Attempt,
  times: ['started', 'completed'],

  *check(records, place) {
    for (const [j, { completed, answers, working }] of records) {
      if (working && completed !== undefined) yield `${place}[${j}].working: must be false, because it is completed`
      if (isTooLong(answers)) yield `${place}[${j}].answers: must be at most 256 KiB`
    }
    yield* findSpanMistakes(records, place)
  },

  async checkHere(db, attempts, world) {
    const wrong = attempts.flatMap(({ one, place, contents }) =>
      Object.keys(one.objectives ?? {})
        .filter((id) => !contents.hasObjective(id, one.lesson))
        .map((id) => `${place}.objectives: must be objectives of the lesson, not ${id}`),
    )
    return [...wrong, ...(await findStoredMistakes(db, attempts, world))]
  },

  findIds: findAttemptIds,
  write: writeAttempts,
})

const endOf = ({ completed }: AttemptSpan): number => (completed === undefined ? Infinity : Date.parse(completed))

function isTooLong(answers: readonly unknown[] | undefined): boolean {
  try {
    answersText(answers)
    return false
  } catch {
    return true
  }
}

const toSpan = ({ handle, lesson, started, completed }: AttemptSpan) => ({
  handle: normaliseHandle(handle),
  lesson,
  started: new Date(started),
  completed: completed === undefined ? null : new Date(completed),
})

/**
 * Converts an attempt to a row. An attempt that is not completed is imported as paused, because nothing is known about
 * the time after its start, unless the student is still working.
 */
function toRow(
  classId: number,
  one: ImportedAttempt,
  lesson: { kind: string; threshold: number | null; instructor_graded: boolean } | undefined,
) {
  const { id, pass = false, score = null, answers } = one
  const span = toSpan(one)
  const { started: start, completed } = span
  const end = completed ?? start
  const isCompleted = completed !== null
  const isGraded = one.pass !== undefined || one.score !== undefined
  const awaitsGrade = isCompleted && (one.awaitsGrade ?? ((lesson?.instructor_graded ?? false) && !isGraded))
  const kind = (lesson?.kind ?? 'activity') as LessonKind
  const [result] = resultOf({ kind, isCompleted, pass, score, threshold: lesson?.threshold ?? null, awaitsGrade })
  return {
    key: id,
    class_id: classId,
    ...span,
    state: isCompleted ? 'completed' : one.working ? 'in progress' : 'paused',
    pass,
    score,
    answers: answersText(answers) ?? null,
    progress: [{ start, end: one.working ? null : end }],
    active_ms: end.getTime() - start.getTime(),
    active_since: one.working ? start : null,
    result,
    awaits_grade: awaitsGrade,
    graded_at: isCompleted && lesson?.instructor_graded && isGraded ? completed : null,
  }
}
