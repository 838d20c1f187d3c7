import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { readContents } from '../classes/contents.ts'
import { ID_PATTERN } from '../courses/schema.ts'
import type { Field } from '../imports/fields.ts'
import type { Found, ImportTie } from '../imports/section.ts'
import { normaliseHandle } from '../people/handles.ts'
import { peopleSection } from '../people/import.ts'
import * as store from './store.ts'

const MAX_NOTES = 100_000

const Id = Type.String({ pattern: ID_PATTERN, maxLength: 64 })
const Handle = Type.String({ minLength: 1, maxLength: 31 })
const Record = Type.Object(
  {
    id: Id,
    author: Handle,
    /** Whom it is about. */
    handle: Type.Optional(Handle),
    lesson: Type.Optional(Id),
    text: Type.String({ minLength: 1, maxLength: 10_000, pattern: '^[^\\0\\p{Cs}]*$' }),
    created: Type.String({ pattern: '^(19|20)\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$' }),
  },
  { additionalProperties: false },
)
type Record = Static<typeof Record>
const shape = Compile(Record)

interface ClassEntry {
  readonly key: string
  readonly notes?: unknown
}

const recordsOf = ({ notes }: Partial<ClassEntry>): [number, Record][] =>
  Array.isArray(notes) ? [...notes.entries()].filter(([, one]) => shape.Check(one)) : []

/** Notes about a class, its lessons and its students, as another school or system kept them. */
export const noteTie: ImportTie<ClassEntry, Found, ReadonlySet<string>, readonly Record[]> = {
  field: 'notes',
  schema: Type.Optional(
    Type.Array(Type.Unknown(), {
      maxItems: MAX_NOTES,
      must: `a list of at most ${MAX_NOTES} notes`,
      about: 'Notes to add, recognised by id; existing ones stay as they are (see below)',
    } satisfies Field),
  ),
  when: 'after',
  isAdded: true,

  *check(classes, now) {
    const seen = new Set<string>()
    for (const [i, entry] of classes.entries()) {
      const place = `classes[${i}].notes`
      for (const [j, one] of Array.isArray(entry.notes) ? entry.notes.entries() : [])
        for (const { instancePath, message } of shape.Errors(one).slice(0, 3))
          yield `${place}[${j}]${instancePath.replaceAll('/', '.')}: ${message}`
      for (const [j, { id, created }] of recordsOf(entry)) {
        if (seen.has(id)) yield `${place}[${j}].id: must be another: ${id} is there twice`
        seen.add(id)
        if (!(Date.parse(created) <= now.getTime())) yield `${place}[${j}].created: must be a time that is past`
      }
    }
  },

  *refer(entry, place) {
    for (const [j, { author, handle }] of recordsOf(entry)) {
      yield { place: `${place}.notes[${j}].author`, to: peopleSection, key: normaliseHandle(author) }
      if (handle !== undefined)
        yield { place: `${place}.notes[${j}].handle`, to: peopleSection, key: normaliseHandle(handle) }
    }
  },

  async checkHere(db, classes, world) {
    const all = classes.flatMap((entry, i) =>
      recordsOf(entry).map(([j, one]) => ({ entry, one, place: `classes[${i}].notes[${j}]` })),
    )
    if (all.length === 0) return []
    const contentsOf = await readContents(db, classes, world)
    const owners = await db.all(store.findNotes, { keys: all.map(({ one }) => one.id) })
    const ownerOf = new Map(owners.map(({ key, class: owner }) => [key, owner]))
    return all.flatMap(({ entry, one: { id, handle, lesson }, place }) => {
      const contents = contentsOf(entry)
      return [
        ...(handle === undefined || contents.hasStudent(handle)
          ? []
          : [`${place}.handle: must be a student of the class`]),
        ...(lesson === undefined || contents.hasLesson(lesson)
          ? []
          : [`${place}.lesson: must be a lesson of the class`]),
        ...(ownerOf.has(id) && ownerOf.get(id) !== entry.key
          ? [`${place}.id: must be another: it is a note about something else`]
          : []),
      ]
    })
  },

  async read(db, classes) {
    const keys = classes.flatMap(({ entry }) => recordsOf(entry).map(([, { id }]) => id))
    return new Set((await db.all(store.findNotes, { keys })).map(({ key }) => key))
  },
  plan(entry, _found, known) {
    const added = recordsOf(entry).flatMap(([, one]) => (known.has(one.id) ? [] : [one]))
    return added.length > 0 ? added : undefined
  },
  pick: (_entry, added) => added,

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
}
