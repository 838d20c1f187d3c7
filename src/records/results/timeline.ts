import type { Member } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { listNotesOfStudent } from '../../learning/notes/notes.ts'
import { authorizeStudent } from '../../learning/progress/authorize.ts'
import { listStatementsOfStudent } from '../statements/statements.ts'
import type { ReadTimeline, Timeline } from './schema.ts'
import * as store from './store.ts'

const DEFAULT_LIMIT = 50
/** A time later than any entry. */
const END = new Date('9999-12-31T00:00:00Z')

/**
 * Reads a student's history, newest first: recorded changes, statements of apps, and notes that the caller may read.
 */
export async function readTimeline(db: Db, who: Member, what: ReadTimeline): Promise<Timeline> {
  const { enrolmentId: enrolment } = await authorizeStudent(db, who, what)
  const { limit = DEFAULT_LIMIT } = what
  const before = what.before === undefined ? END : new Date(what.before)
  const [rows, about, sent] = await Promise.all([
    db.all(store.listTimeline, { enrolment, app: who.appId ?? null, before, limit }),
    listNotesOfStudent(db, who, { enrolment, before, limit }),
    listStatementsOfStudent(db, who, { enrolment, before, limit }),
  ])
  const recorded = rows.map(({ at, kind, lesson, attempt, by_id, by_name, data }) => ({
    at,
    kind,
    lessonId: lesson,
    lessonResultId: attempt,
    byId: by_id,
    byName: by_name,
    data: JSON.parse(data),
  }))
  const written = about.notes.map((note) => ({
    at: note.createdDate,
    kind: 'note',
    lessonId: note.lessonId,
    lessonResultId: null,
    byId: note.authorId,
    byName: note.authorName,
    data: { noteId: note.noteId, text: note.text },
  }))
  const statements = sent.statements.map((one) => ({ kind: 'statement', ...one }))
  const all = [...recorded, ...written, ...statements].sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
  // Entries with the same time stay on one page, because the next page only has entries before the last time on this
  // one.
  // A list that is cut says nothing about the time before its last entry, so the page ends there.
  const ends = [all[limit - 1]?.at, about.isCut && written.at(-1)?.at, sent.isCut && statements.at(-1)?.at]
  const last = ends
    .filter((at) => typeof at === 'string')
    .sort()
    .at(-1)
  const docs = last === undefined ? all : all.filter(({ at }) => at >= last)
  return { docs, next: last ?? null }
}
