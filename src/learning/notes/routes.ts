import { member } from '../../kernel/http/callers/callers.ts'
import { type Operation, operation } from '../../kernel/http/operation.ts'
import { json, success } from '../../kernel/http/output/output.ts'
import { examples } from './examples.ts'
import { createNote, listNotes, readNote, removeNote } from './notes.ts'
import { CreateNote, ListNotes, NameNote, Note, Notes } from './schema.ts'

const area = 'Notes'
const path = '/edu/v1/note'

export const noteOperations: readonly Operation[] = [
  operation({
    name: 'listNotes',
    summary: 'Lists notes',
    ...examples.listNotes,
    method: 'GET',
    path: `${path}/list`,
    area,
    who: member,
    role: 'author, student or instructor',
    input: ListNotes,
    from: 'query',
    output: json(Notes),
    errors: [],
    run: ({ db, who }, input) => listNotes(db, who, input),
  }),
  operation({
    name: 'readNote',
    summary: 'Reads a note',
    ...examples.readNote,
    method: 'GET',
    path,
    area,
    who: member,
    role: 'author, student or instructor',
    input: NameNote,
    from: 'query',
    output: json(Note),
    errors: ['notFound'],
    run: ({ db, who }, input) => readNote(db, who, input),
  }),
  operation({
    name: 'createNote',
    summary: 'Writes a note',
    ...examples.createNote,
    method: 'PUT',
    path,
    area,
    who: member,
    role: 'anybody about what they may know of; about a student, the student or an instructor',
    input: CreateNote,
    from: 'body',
    output: json(Note),
    errors: ['validationFailed', 'forbidden', 'impossibleNow'],
    run: ({ db, who }, input) => createNote(db, who, input),
  }),
  operation({
    name: 'removeNote',
    summary: 'Removes a note',
    ...examples.removeNote,
    method: 'POST',
    path: `${path}/remove`,
    area,
    who: member,
    role: 'author, or instructor of the class',
    input: NameNote,
    from: 'either',
    output: success(),
    errors: ['forbidden', 'notFound'],
    run: ({ db, who }, input) => removeNote(db, who, input),
  }),
]
