import type { Member } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { isPaged, type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { noteEvents } from './events.ts'
import { resolveNote } from './rules.ts'
import type { CreateNote, ListNotes, NameNote, Note } from './schema.ts'
import * as store from './store.ts'

const NOT_FOUND = 'There is no note with this id, or you cannot read it'

export async function readNote(db: Db, who: Member, { noteId }: NameNote): Promise<Note> {
  return toNote(await findNote(db, who, noteId))
}

const MAX_LISTED = 1000

/**
 * Lists notes that the caller may read, newest first: a page if one is asked for, else as many as fit into one
 * response.
 * A note must match all given ids.
 */
export async function listNotes(db: Db, who: Member, what: ListNotes): Promise<Note[] | Page<Note>> {
  const filters = { ...callerOf(who), ...namesOf(what) }
  if (!isPaged(what)) return (await db.all(store.listNotes, { ...filters, limit: MAX_LISTED })).map(toNote)
  const rows = await db.all(store.listPage, { ...filters, ...spanOf(what) })
  return pageOf(rows.map(toNote), rows[0]?.total ?? 0, what)
}

/**
 * Lists notes about a student that the caller may read, newest first. May exceed `limit`, so that notes created at the
 * same time are never split between pages. `isCut` is true if there are fewer because they are large.
 */
export async function listNotesOfStudent(
  db: Db,
  who: Member,
  what: { readonly enrolment: number; readonly before: Date; readonly limit: number },
): Promise<{ notes: Note[]; isCut: boolean }> {
  const rows = await db.all(store.listNotesOfStudent, { ...callerOf(who), ...what })
  return { notes: rows.map(toNote), isCut: rows.length < (rows[0]?.found ?? 0) }
}

/** Creates a note. Ids that can be derived from the given ones are added, such as the course of a lesson. */
export async function createNote(db: Db, who: Member, what: CreateNote): Promise<Note> {
  if (what.text.trim() === '') throw fail('parameterMissing', 'text is missing')
  const names = namesOf(what)
  const targets = (await db.first(store.findTargets, { ...callerOf(who), ...names }))!
  const ids = { ...what, lessonId: names.lesson ?? undefined }
  const key = makeId()
  const resolved = resolveNote(targets, ids)
  await db.transaction(async (tx) => {
    const written = await tx.first(store.insertNote, {
      ...resolved,
      key,
      text: what.text,
      author: who.personId,
      app: who.appId ?? null,
      now: who.at,
    })
    const { about } = resolved
    if (about === null || about === who.personId) return
    const payload = { note: written!.id, person: about, author: who.personId }
    await noteEvents.emit(tx, { kind: 'note.written', subject: `person:${about}`, payload, at: who.at })
  })
  return toNote((await db.first(store.findNote, { ...callerOf(who), note: key }))!)
}

/** Deletes a note. Only its author and the instructors of the class may do so. */
export async function removeNote(db: Db, who: Member, { noteId }: NameNote): Promise<void> {
  const note = await findNote(db, who, noteId)
  if (!note.may_remove) throw fail('forbidden', 'Only the author and the instructors of the class can delete this note')
  await db.first(store.deleteNote, { note: noteId })
}

/** Exports the notes that the person wrote and the notes about the person. */
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
        createdDate: row.created_at,
      }
    if (rows.length === 0) return
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
  createdDate: row.created_at,
})
