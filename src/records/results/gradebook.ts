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
import type { Result } from '../../learning/progress/attempt.ts'
import { authorizeClass } from '../../learning/progress/authorize.ts'
import type { Gradebook, NameClass, ReadGradebook } from './schema.ts'
import * as store from './store.ts'

/** Limits concurrent downloads, because each one holds one of the few report connections until it has been read. */
const downloading = gatePerOwner({
  atOnce: 2,
  perKey: 1,
  waiting: 50,
  waitingPerKey: 2,
  waitMs: 45_000,
  refusal: () => fail('notReady', 'Too many gradebooks are being downloaded; try again shortly', 15),
})

type Column = RowOf<typeof store.listColumns>

/** Students × lessons on one page, of up to 150 bytes each. A class with many lessons has fewer students on a page. */
const MAX_CELLS = 15_000

/** Reads the results of a class: all lessons, and one page of students. */
export async function readGradebook(db: Db, who: PersonCaller, what: ReadGradebook): Promise<Gradebook> {
  const { id, versionId } = await authorizeClass(db, who, what, 'read')
  const columns = await db.all(store.listColumns, { version: versionId })
  const asked = spanOf(what).limit
  const paging = { ...what, limit: Math.min(asked, Math.max(1, Math.floor(MAX_CELLS / columns.length))) }
  const rows = await db.all(store.listGradebook, {
    class: id,
    words: wordsIn(what.search),
    now: who.at,
    ...spanOf(paging),
  })
  const docs = rows.map((row) => ({
    studentId: row.student,
    handle: row.handle,
    name: `${row.first_name} ${row.last_name}`.trim() || row.handle,
    status: row.status,
    lessons: cellsOf(row.standings, columns),
  }))
  return {
    classId: what.classId,
    lessons: columns.map(({ lesson, parent, name }) => ({ lessonId: lesson, parentId: parent, name })),
    ...pageOf(docs, rows[0]?.total ?? 0, paging),
    docs,
  }
}

/** Exports the results of a whole class as CSV, streamed from the database. */
export async function exportGradebook(db: Db, who: PersonCaller, what: NameClass) {
  const { id, versionId } = await authorizeClass(db, who, what, 'read')
  const columns = await db.all(store.listColumns, { version: versionId })
  const leave = await downloading(db).enter(callerKey(who))
  const entry = { action: 'gradebook.downloaded' as const, personId: who.personId, detail: { class: what.classId } }
  await recordAudit(db, who, entry).catch((error: unknown) => {
    leave()
    throw error
  })
  const stream = Readable.from(tableOf(db, { class: id, now: who.at }, columns), { objectMode: false })
  stream.once('close', leave)
  const fileName = `gradebook-${what.classId.replace(/[^\w.-]/g, '-')}-${who.at.toISOString().slice(0, 10)}.csv`
  return { fileName, mediaType: 'text/csv; charset=utf-8', stream }
}

async function* tableOf(
  db: Db,
  what: { class: number; now: Date },
  columns: readonly Column[],
): AsyncGenerator<string> {
  const perLesson = columns.flatMap(({ name }) =>
    ['result', 'score', 'attempts', 'seconds'].map((field) => `${name}: ${field}`),
  )
  yield BYTE_ORDER_MARK + csvLine(['Student ID', 'Handle', 'First name', 'Last name', 'Status', ...perLesson])
  for await (const row of db.stream(store.exportGradebook, what)) {
    const known = standingsOf(row.standings)
    const student = [row.student, row.handle.replace(/^@/, ''), row.first_name, row.last_name, row.status]
    // These values are numbers and result names of the platform, so they need no CSV quoting.
    const cells = columns.map(({ lesson_id }) => {
      const [, result, score, attempts, ms] = known.get(lesson_id) ?? NOT_STARTED
      return `,${result},${score ?? ''},${attempts},${Math.floor(ms / 1000)}`
    })
    yield csvLine(student, cells.join(''))
  }
}

type LessonStanding = [lessonId: number, result: Result, score: number | null, attempts: number, activeMs: number]
const NOT_STARTED: LessonStanding = [0, 'NOT STARTED', null, 0, 0]

const standingsOf = (text: string | null): Map<number, LessonStanding> =>
  new Map((JSON.parse(`[${text ?? ''}]`) as LessonStanding[]).map((standing) => [standing[0], standing]))

/** Returns the student's results in the order of the columns. */
function cellsOf(text: string | null, columns: readonly Column[]) {
  const known = standingsOf(text)
  return columns.map(({ lesson_id, lesson }) => {
    const [, result, score, attempts, ms] = known.get(lesson_id) ?? NOT_STARTED
    return { lessonId: lesson, result, score, attempts, timeOnTask: Math.floor(ms / 1000) }
  })
}
