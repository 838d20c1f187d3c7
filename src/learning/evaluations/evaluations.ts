import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { maySee } from '../classes/roles.ts'
import { authorizeClass, authorizeLesson, type LessonContext } from '../progress/authorize.ts'
import { recordEvaluated, scoreEvaluated } from '../progress/evaluated-attempt.ts'
import { gradeAttempt } from '../progress/grading.ts'
import { decideGrade, enterPoints, objectiveScores, type RubricCriterion, readTimes } from './rules.ts'
import type {
  AcknowledgeEvaluation,
  ChangeEvaluation,
  Criterion,
  Evaluation,
  GivenPoints,
  ListEvaluations,
  NameEvaluation,
  NewEvaluation,
  RecordEvaluations,
  RecordedEvaluations,
} from './schema.ts'
import * as store from './store.ts'

const NOT_FOUND = 'There is no evaluation with this id, or you cannot read it'
/** The number of tries if other requests keep changing the student's attempts. */
const MAX_TRIES = 20

/**
 * Records the evaluations of one or several students. Each is a transaction of its own, and is refused on its own: a
 * phone that sends what it has saved must not lose twenty evaluations because one student has left.
 */
export async function recordEvaluations(
  db: Db,
  who: PersonCaller,
  what: RecordEvaluations,
): Promise<RecordedEvaluations> {
  await authorizeClass(db, who, what, 'record')
  const evaluations = []
  for (const one of what.evaluations) {
    const ids = { evaluationId: one.evaluationId, studentId: one.studentId }
    try {
      const evaluation = await recordEvaluation(db, who, what, one)
      evaluations.push({ ...ids, evaluation, code: null, error: null })
    } catch (error) {
      // Full storage concerns all of them, and ends the transaction of a request with an Idempotency-Key.
      if (!(error instanceof PlatformError) || error.status >= 500 || error.kind === 'storageFull') throw error
      evaluations.push({ ...ids, evaluation: null, code: error.code, error: error.message })
    }
  }
  return { evaluations }
}

async function recordEvaluation(
  db: Db,
  who: PersonCaller,
  { classId, lessonId }: RecordEvaluations,
  one: NewEvaluation,
): Promise<Evaluation> {
  const { evaluationId, studentId } = one
  const times = readTimes(one, who.at)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const isRecorded = await db.transaction(async (tx) => {
      await tx.first(store.lockKey, { evaluation: evaluationId })
      const context = await authorizeLesson(tx, who, { lessonId, classId, studentId }, 'report', {
        recorder: 'instructor-led',
      })
      if (context.kind !== 'instructor-led')
        throw fail('validationFailed', 'lessonId must be an instructor-led lesson; grade attempts at other lessons')
      if (context.isOwn) throw fail('forbidden', 'You cannot evaluate yourself')
      const stored = await tx.first(store.findByKey, { evaluation: evaluationId })
      if (stored) return isSame(stored, context)
      return insert(tx, who, context, one, times)
    })
    if (isRecorded) return readEvaluation(db, who, { evaluationId })
  }
  throw fail('conflict', 'The attempts of this student are being changed by other requests; try again')
}

/** Returns true for an evaluation that is sent again. Throws if the id belongs to another evaluation. */
function isSame(stored: { enrolment_id: number; lesson_id: number }, context: LessonContext): true {
  if (stored.enrolment_id !== context.enrolmentId || stored.lesson_id !== context.lessonId)
    throw fail('conflict', 'evaluationId belongs to another evaluation; generate a new one')
  return true
}

/** Returns false if the student's attempts have changed since the context was read. */
async function insert(
  tx: Tx,
  who: PersonCaller,
  context: LessonContext,
  one: NewEvaluation,
  times: { startTime: Date; endTime: Date },
): Promise<boolean> {
  const criteria = enterPoints(await readRubric(tx, context), one.criteria ?? [])
  const attempt = await recordEvaluated(tx, who, context, {
    ...decideGrade(one, criteria, context.threshold),
    ...times,
  })
  if (attempt === undefined) return false
  await tx.first(store.insertEvaluation, {
    evaluation: one.evaluationId,
    attempt,
    enrolment: context.enrolmentId,
    lesson: context.lessonId,
    criteria: JSON.stringify(criteria),
    remarks: one.remarks?.trim() ?? '',
    person: who.personId,
    now: who.at,
  })
  await scoreEvaluated(tx, who, context, attempt, objectiveScores(criteria))
  return true
}

async function readRubric(db: Db, { classId, lessonId }: LessonContext): Promise<readonly RubricCriterion[]> {
  const row = await db.first(store.findContent, { class: classId, lesson: lessonId })
  const content: { rubric?: RubricCriterion[] } = row?.content ? JSON.parse(row.content) : {}
  return content.rubric ?? []
}

/**
 * Changes an evaluation and the grade of its attempt. The log of grade changes keeps what was there before, and the
 * student has to acknowledge it again.
 */
export async function changeEvaluation(db: Db, who: PersonCaller, what: ChangeEvaluation): Promise<Evaluation> {
  const { evaluationId } = what
  const row = await findEvaluation(db, who, evaluationId)
  const names = { lessonId: row.lesson, studentId: row.student, lessonResultId: row.attempt }
  const context = await authorizeLesson(db, who, names, 'grade')
  if (what.reason.trim() === '') throw fail('parameterMissing', 'reason is missing: tell the student why')
  await db.transaction(async (tx) => {
    const before = (await tx.first(store.lockEvaluation, { id: row.id }))!
    const old: Criterion[] = JSON.parse(before.criteria)
    const criteria = what.criteria ? enterPoints(old.map(toRubric), what.criteria) : old
    const remarks = what.remarks?.trim() ?? before.remarks
    const { score, pass } = changedGrade(what, before, criteria, context.threshold)
    await gradeAttempt(
      tx,
      who,
      { ...names, pass, ...(score !== null && { score }), reason: what.reason },
      {
        before: { remarks: before.remarks, criteria: pointsOf(old) },
        after: { remarks, criteria: pointsOf(criteria) },
      },
    )
    await tx.first(store.changeEvaluation, {
      id: row.id,
      criteria: JSON.stringify(criteria),
      remarks,
      now: who.at,
    })
    if (what.criteria) await scoreEvaluated(tx, who, context, before.attempt_id, objectiveScores(criteria))
  })
  return readEvaluation(db, who, what)
}

const toRubric = ({ maxPoints, objective, ...criterion }: Criterion): RubricCriterion => ({
  ...criterion,
  points: maxPoints,
  ...(objective !== null && { objective }),
})
const pointsOf = (criteria: readonly Criterion[]): GivenPoints => criteria.map(({ id, points }) => ({ id, points }))

/** Without a new score or new points, the grade stays as it is. */
function changedGrade(
  what: ChangeEvaluation,
  before: { score: number | null; pass: boolean },
  criteria: readonly Criterion[],
  threshold: number | null,
): { score: number | null; pass: boolean } {
  if (what.score === undefined && what.criteria === undefined)
    return { score: before.score, pass: what.pass ?? before.pass }
  const pass = what.pass ?? (threshold === null ? before.pass : undefined)
  return decideGrade(
    { ...(what.score !== undefined && { score: what.score }), ...(pass !== undefined && { pass }) },
    criteria,
    threshold,
  )
}

export async function readEvaluation(db: Db, who: PersonCaller, { evaluationId }: NameEvaluation): Promise<Evaluation> {
  return toEvaluation(await findEvaluation(db, who, evaluationId))
}

/** Lists evaluations, newest first: those of a class for its staff, and their own for students. */
export async function listEvaluations(db: Db, who: PersonCaller, what: ListEvaluations): Promise<Page<Evaluation>> {
  const { classId, lessonId, studentId, acknowledged } = what
  if (studentId !== undefined && classId === undefined)
    throw fail('parameterMissing', 'classId is missing: send the class of the student')
  const reader =
    classId === undefined ? undefined : await db.first(store.findReader, { person: who.personId, class: classId })
  // Callers who have nothing to do with a class find nothing there, as in a class that does not exist.
  if (classId !== undefined && !reader) return pageOf([], 0, what)
  const rows = await db.all(store.listEvaluations, {
    person: who.personId,
    class: reader?.id ?? null,
    isOwnOnly: !(reader && maySee(reader)),
    lesson: lessonId ?? null,
    student: studentId ?? null,
    acknowledged: acknowledged ?? null,
    ...spanOf(what),
  })
  return pageOf(rows.map(toEvaluation), rows[0]?.total ?? 0, what)
}

/** Acknowledges an evaluation, as the student. Sending it again changes nothing. */
export async function acknowledgeEvaluation(
  db: Db,
  who: PersonCaller,
  { evaluationId, version, comment }: AcknowledgeEvaluation,
): Promise<Evaluation> {
  const row = await findEvaluation(db, who, evaluationId)
  if (!row.is_own) throw fail('forbidden', 'Only the student can acknowledge an evaluation')
  await db.first(store.acknowledge, { id: row.id, version, comment: comment?.trim() ?? '', now: who.at })
  const after = await findEvaluation(db, who, evaluationId)
  if (after.version !== version)
    throw fail('conflict', 'Your instructor has changed this evaluation; read it again before you acknowledge it')
  return toEvaluation(after)
}

/** Exports the evaluations about the person, and those that the person has recorded. */
export async function* exportEvaluations(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const row of db.stream(store.exportEvaluations, { person: personId }))
    yield { ...toEvaluation(row), written: row.is_own ? 'about you' : 'by you' }
}

async function findEvaluation(db: Db, { personId }: PersonCaller, evaluationId: string) {
  const row = await db.first(store.findEvaluation, { person: personId, evaluation: evaluationId })
  if (!row) throw fail('notFound', NOT_FOUND)
  return row
}

const toEvaluation = (row: Omit<RowOf<typeof store.findEvaluation>, 'id' | 'lesson_id'>): Evaluation => ({
  evaluationId: row.evaluation,
  version: row.version,
  classId: row.class,
  studentId: row.student,
  handle: row.handle,
  name: row.name,
  lessonId: row.lesson,
  lessonName: row.lesson_name,
  lessonResultId: row.attempt,
  criteria: JSON.parse(row.criteria) as Criterion[],
  score: row.score,
  pass: row.pass,
  remarks: row.remarks,
  startTime: row.started_at,
  // The attempt of an evaluation is always completed.
  endTime: row.completed_at!,
  recordedBy: row.recorder,
  recorded: row.recorded_at,
  changed: row.changed_at,
  acknowledged: row.acknowledged_at,
  comment: row.comment,
  counts: row.counts,
})
