import type { Member } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { resolveNote } from './rules.ts'
import type { CreateNote, ListNotes, NameNote, Note } from './schema.ts'
import * as store from './store.ts'

const NOT_FOUND = 'There is no note with that id, or it is not for you'

export async function readNote(db: Db, who: Member, { noteId }: NameNote): Promise<Note> {
  return toNote(await findNote(db, who, noteId))
}

/** Newest first; a note must match all that are given. */
export async function listNotes(db: Db, who: Member, what: ListNotes): Promise<Note[]> {
  const rows = await db.all(store.listNotes, { ...callerOf(who), ...namesOf(what) })
  return rows.map(toNote)
}

/** Notes about one student that the caller may read, the newest first and all of a moment, with the names of their authors. */
export async function listNotesOfStudent(
  db: Db,
  who: Member,
  what: { readonly enrolment: number; readonly before: Date; readonly limit: number },
): Promise<Note[]> {
  const rows = await db.all(store.listNotesOfStudent, { ...callerOf(who), ...what })
  return rows.map(toNote)
}

/** Writes a note about what is named, with the ids that follow from it. */
export async function createNote(db: Db, who: Member, what: CreateNote): Promise<Note> {
  if (what.text.trim() === '') throw fail('parameterMissing', 'text is missing')
  const names = namesOf(what)
  const named = (await db.first(store.findNamed, { ...callerOf(who), ...names }))!
  const ids = { ...what, lessonId: names.lesson ?? undefined }
  const key = makeId()
  await db.first(store.insertNote, {
    ...resolveNote(named, ids),
    key,
    text: what.text,
    author: who.personId,
    now: who.at,
  })
  return toNote((await db.first(store.findNote, { ...callerOf(who), note: key }))!)
}

/** The author and the instructors of the class may. */
export async function removeNote(db: Db, who: Member, { noteId }: NameNote): Promise<void> {
  const note = await findNote(db, who, noteId)
  if (!note.may_remove) throw fail('forbidden', 'Only its author and the instructors of the class can remove this note')
  await db.first(store.deleteNote, { note: noteId })
}

/** What one has written, and what was written about one. */
export async function* exportNotes(db: Db, personId: number): AsyncGenerator<unknown> {
  for (let after = 0; ; ) {
    const rows = await db.all(store.exportNotes, { person: personId, after })
    for (const row of rows)
      yield {
        noteId: row.note,
        text: row.text,
        lessonId: row.lesson,
        classId: row.class,
        studentId: row.student,
        written: row.is_author ? 'by you' : 'about you',
        createdDate: row.created_at.toISOString(),
      }
    if (rows.length < 500) return
    after = rows.at(-1)!.id
  }
}

const callerOf = ({ personId, appId }: Member) => ({ person: personId, app: appId ?? null })

const namesOf = (what: ListNotes) => ({
  lesson: what.lessonId ?? what.lessondId ?? null,
  class: what.classId ?? null,
  student: what.studentId ?? null,
  course: what.courseId ?? null,
  user: what.userId ?? null,
})

async function findNote(db: Db, who: Member, noteId: string) {
  const note = await db.first(store.findNote, { ...callerOf(who), note: noteId })
  if (!note) throw fail('notFound', NOT_FOUND)
  return note
}

const toNote = (row: RowOf<typeof store.findNote>): Note => ({
  noteId: row.note,
  text: row.text,
  lessonId: row.lesson,
  userId: row.user_id,
  classId: row.class,
  studentId: row.student,
  courseId: row.course,
  authorId: row.author_user_id,
  authorName: row.author_name,
  createdDate: row.created_at.toISOString(),
})
