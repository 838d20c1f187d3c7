import { member } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { listOrPage } from '../../kernel/paging.ts'
import { NOTE_ID } from '../../kernel/samples.ts'
import { MAY } from '../classes/roles.ts'
import { createNote, listNotes, readNote, removeNote } from './notes.ts'
import { CreateNote, ListNotes, NameNote, Note, NotePage, Notes } from './schema.ts'

const op = operationsIn({ area: 'Notes', who: member, scope: 'notes' })

export const noteOperations: readonly Operation[] = [
  op('GET /edu/v1/note/list', {
    name: 'listNotes',
    summary: 'List notes',
    description:
      'Returns notes, newest first, in an array of at most 1000 notes and about 2 MiB; with `page` or `limit`, in pages. Filters can be combined: a note must match all of them. Callers see notes that they wrote, notes about them, and as instructors the notes of their classes.',
    example: { request: { studentId: 'student-avery' }, after: 'createNote' },
    roles: ['author', 'student', 'instructor'],
    input: ListNotes,
    output: listOrPage(Notes, NotePage),
    run: ({ db, who }, input) => listNotes(db, who, input),
  }),
  op('GET /edu/v1/note', {
    name: 'readNote',
    summary: 'Get a note',
    description:
      'Returns a note. The author, the instructors of the class and the student it is about can read it; all others get 404.',
    example: { request: { noteId: NOTE_ID } },
    roles: ['author', 'student', 'instructor'],
    input: NameNote,
    output: json(Note),
    errors: ['notFound'],
    run: ({ db, who }, input) => readNote(db, who, input),
  }),
  op('PUT /edu/v1/note', {
    name: 'createNote',
    summary: 'Create a note',
    description:
      'Creates a note; for the training dashboard it needs a student and a lesson. The platform adds what follows: the course of a lesson or class, and the user, class and course of a student; ids that do not belong together are refused. Students write about themselves, instructors about their students; nobody can write in a closed class, and suspended or dropped students cannot either.',
    example: {
      request: {
        text: 'Found the bent pitot cover without a hint.',
        studentId: 'student-avery',
        lessonId: 'lesson-walkaround',
      },
    },
    input: CreateNote,
    output: json(Note),
    errors: ['validationFailed', 'forbidden', 'impossibleNow', 'storageFull'],
    run: ({ db, who }, input) => createNote(db, who, input),
  }),
  op('POST /edu/v1/note/remove', {
    name: 'removeNote',
    summary: 'Delete a note',
    description: 'Deletes a note, as its author or as an instructor of the class. This cannot be undone.',
    example: { request: { noteId: NOTE_ID } },
    roles: ['author', ...MAY.keepNotes],
    input: NameNote,
    from: 'either',
    output: success(),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => removeNote(db, who, input),
  }),
]
