import { type Static, Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import { RecordHandle, RecordId, RecordTime, recordTie } from '../classes/import-records.ts'
import * as store from './store.ts'

const Note = Type.Object(
  {
    id: RecordId,
    author: RecordHandle,
    /** The handle of the student whom the note is about. */
    handle: Type.Optional(RecordHandle),
    lesson: Type.Optional(RecordId),
    text: Type.String({ minLength: 1, maxLength: 10_000, pattern: '^[^\\0\\p{Cs}]*$' }),
    created: RecordTime,
  },
  { additionalProperties: false },
)
type Note = Static<typeof Note>

/** Imports notes about a class, its lessons and its students that another school or system has recorded. */
export const noteTie = recordTie<typeof Note, Note>({
  field: 'notes',
  schema: Note,
  times: ['created'],
  refer: ({ author }) => [{ field: 'author', to: peopleSection, key: normaliseHandle(author) }],

  async checkHere(db, notes) {
    const owners = await db.all(store.findNotes, { keys: notes.map(({ one }) => one.id) })
    const ownerOf = new Map(owners.map(({ key, class: owner }) => [key, owner]))
    return notes.flatMap(({ one: { id }, entry, place }) =>
      ownerOf.has(id) && ownerOf.get(id) !== entry.key
        ? [`${place}.id: must be unique: it is the id of a note about something else`]
        : [],
    )
  },

  findIds: async (db, keys) => (await db.all(store.findNotes, { keys })).map(({ key }) => key),

  async write(tx, _who, changes, { idOf }) {
    const rows = changes.flatMap(({ id, change }) =>
      change.map((one) => ({
        key: one.id,
        class_id: id,
        author_id: idOf(peopleSection, normaliseHandle(one.author)),
        person_id: one.handle === undefined ? null : idOf(peopleSection, normaliseHandle(one.handle)),
        lesson: one.lesson ?? null,
        text: one.text,
        created: new Date(one.created),
      })),
    )
    await tx.all(store.insertNotes, { rows: JSON.stringify(rows) })
  },
})
