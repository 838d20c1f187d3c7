import { Readable } from 'node:stream'
import { recordAudit } from '../../kernel/audit/audit.ts'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import { callerKey, type PersonCaller } from '../../kernel/caller.ts'
import { BYTE_ORDER_MARK, csvLine } from '../../kernel/csv.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { wordsIn } from '../../kernel/database/words.ts'
import { fail } from '../../kernel/errors.ts'
import { pageOf, spanOf } from '../../kernel/paging.ts'
import type { LessonKind } from '../../learning/courses/schema.ts'
import { authorizeClass } from '../../learning/progress/authorize.ts'
import type { GradebookAverages, GradebookCells, GradebookRecord, NameClass, ReadGradebook } from './schema.ts'
import * as store from './store.ts'

/** Limits concurrent downloads, because each one holds one of the few report connections until it has been read. */
const downloading = gatePerOwner({
  atOnce: 2,
  perKey: 1,
  waiting: 50,
  waitingPerKey: 2,
  waitMs: 45_000,
  refusal: () => fail('notReady', 'Too many gradebooks are being exported; try again shortly', 15),
})

type Column = RowOf<typeof store.listColumns>

/** Reads the results of a class: all lessons, and one page of students. */
export async function readGradebook(db: Db, who: PersonCaller, what: ReadGradebook): Promise<GradebookRecord> {
  const { id, versionId } = await authorizeClass(db, who, what, 'read')
  const columns = await db.all(store.listColumns, { class: id, version: versionId })
  const { sort = 'name', lessonId } = what
  const lesson = columns.find((column) => column.lesson === lessonId)?.lesson_id ?? null
  if (sort.endsWith('result') && lesson === null)
    throw fail('validationFailed', 'lessonId must name a lesson of the course if sort is result')
  const stateLesson = columns.find((column) => column.lesson === what.stateLessonId)?.lesson_id ?? null
  if (what.stateLessonId !== undefined && stateLesson === null)
    throw fail('validationFailed', 'stateLessonId must name a lesson of the course')
  const rows = await db.all(store.listGradebook[sort], {
    class: id,
    version: versionId,
    hasDates: columns[0]?.has_dates ?? false,
    lessons: columns.map(({ lesson_id }) => lesson_id),
    lesson,
    state: what.state ?? null,
    stateLesson,
    words: wordsIn(what.search),
    now: who.at,
    ...spanOf(what),
  })
  const docs = rows.map((row) => ({
    studentId: row.student,
    handle: row.handle,
    name: `${row.first_name} ${row.last_name}`.trim() || row.handle,
    status: row.status,
    cells: row.standings,
  }))
  return {
    classId: what.classId,
    lessons: columns.map(({ lesson, parent, name, kind, due_at }) => ({
      lessonId: lesson,
      parentId: parent,
      name,
      kind: kind as LessonKind,
      due: due_at,
    })),
    ...pageOf(docs, rows[0]?.total ?? 0, what),
    docs,
  }
}

/** Computes the averages of each lesson over all students of a class. */
export async function readAverages(db: Db, who: PersonCaller, what: NameClass): Promise<GradebookAverages> {
  const { id, versionId } = await authorizeClass(db, who, what, 'read')
  const [columns, rows] = await Promise.all([
    db.all(store.listColumns, { class: id, version: versionId }),
    db.all(store.listAverages, { class: id }),
  ])
  const found = new Map(rows.map((row) => [row.lesson_id, row]))
  return {
    classId: what.classId,
    students: rows[0]?.students ?? 0,
    lessons: columns.map(({ lesson, lesson_id, name }) => {
      const { started = 0, passed = 0, waiting = 0, mean = null } = found.get(lesson_id) ?? {}
      return {
        lessonId: lesson,
        name,
        started: started ?? 0,
        passed: passed ?? 0,
        waiting: waiting ?? 0,
        meanScore: mean,
      }
    }),
  }
}

/** Exports the results of a whole class as CSV, streamed from the database. */
export async function exportGradebook(db: Db, who: PersonCaller, what: NameClass) {
  const { id, versionId } = await authorizeClass(db, who, what, 'read')
  const columns = await db.all(store.listColumns, { class: id, version: versionId })
  const leave = await downloading(db).enter(callerKey(who))
  const entry = { action: 'gradebook.downloaded' as const, personId: who.personId, detail: { class: what.classId } }
  await recordAudit(db, who, entry).catch((error: unknown) => {
    leave()
    throw error
  })
  const stream = Readable.from(tableOf(db, { class: id, version: versionId, now: who.at }, columns), {
    objectMode: false,
  })
  stream.once('close', leave)
  const fileName = `gradebook-${what.classId.replace(/[^\w.-]/g, '-')}-${who.at.toISOString().slice(0, 10)}.csv`
  return { fileName, mediaType: 'text/csv; charset=utf-8', stream }
}

async function* tableOf(
  db: Db,
  what: { class: number; version: number; now: Date },
  columns: readonly Column[],
): AsyncGenerator<string> {
  const perLesson = columns.flatMap(({ name }) =>
    ['result', 'score', 'attempts', 'seconds', 'late'].map((field) => `${name}: ${field}`),
  )
  yield BYTE_ORDER_MARK + csvLine(['Student ID', 'Handle', 'First name', 'Last name', 'Status', ...perLesson])
  const lessons = columns.map(({ lesson_id }) => lesson_id)
  const hasDates = columns[0]?.has_dates ?? false
  for await (const row of db.stream(store.exportGradebook, { ...what, hasDates, lessons })) {
    const student = [row.student, row.handle.replace(/^@/, ''), row.first_name, row.last_name, row.status]
    const { started, results, scores, attempts, timeOnTask, late, overdue } = JSON.parse(
      `{${row.standings}}`,
    ) as GradebookCells
    const places = new Map([
      ...late.map((place) => [place, 'late'] as const),
      ...overdue.map((place) => [place, 'overdue'] as const),
    ])
    const cells = columns.map((_, place) => `,NOT STARTED,,0,0,${places.get(place) ?? ''}`)
    // These values are numbers and result names of the platform, so they need no CSV quoting.
    for (const [i, place] of started.entries())
      cells[place] = `,${results[i]},${scores[i] ?? ''},${attempts[i]},${timeOnTask[i]},${places.get(place) ?? ''}`
    yield csvLine(student, cells.join(''))
  }
}
