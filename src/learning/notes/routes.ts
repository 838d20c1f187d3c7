import { member } from '../../kernel/http/callers/callers.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { listOrPage } from '../../kernel/paging.ts'
import { NOTE_ID } from '../../kernel/samples.ts'
import { MAY } from '../classes/roles.ts'
import { createNote, listNotes, readNote, removeNote } from './notes.ts'
import { CreateNote, ListNotes, NameNote, Note, NotePage, Notes } from './schema.ts'

const op = operationsIn({ area: 'Notes', who: member })

export const noteOperations: readonly Operation[] = [
  op('GET /edu/v1/note/list', {
    name: 'listNotes',
    summary: 'Lists notes',
    description:
      'Newest first, in a plain array of at most 1000 notes and about 2 MiB; with `page` or `limit`, in pages. Filters combine: a note must match all that are given. Callers see notes that they wrote, notes about them, and as instructors the notes of their classes.',
    example: { request: { studentId: 'student-avery' }, after: 'createNote' },
    roles: ['author', 'student', 'instructor'],
    input: ListNotes,
    output: listOrPage(Notes, NotePage),
    run: ({ db, who }, input) => listNotes(db, who, input),
  }),
  op('GET /edu/v1/note', {
    name: 'readNote',
    summary: 'Reads a note',
    description:
      'The author, the instructors of the class and the student it is about can read a note. Everybody else gets 404.',
    example: { request: { noteId: NOTE_ID } },
    roles: ['author', 'student', 'instructor'],
    input: NameNote,
    output: json(Note),
    errors: ['notFound'],
    run: ({ db, who }, input) => readNote(db, who, input),
  }),
  op('PUT /edu/v1/note', {
    name: 'createNote',
    summary: 'Writes a note',
    description:
      'Notes for the training dashboard have a student and a lesson. The platform adds what follows: the course of a lesson or class; the user, class and course of a student; ids that do not fit together are refused. Students write about themselves, instructors about their students; nobody writes in an ended class, nor does a suspended or dropped student.',
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
    summary: 'Removes a note',
    description: 'The author and the instructors of the class can remove a note. This cannot be undone.',
    example: { request: { noteId: NOTE_ID } },
    roles: ['author', ...MAY.keepNotes],
    input: NameNote,
    from: 'either',
    output: success(),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => removeNote(db, who, input),
  }),
]
