import { type Static, type TObject, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Field } from '../../kernel/imports/fields.ts'
import type { ImportTie, Mistake, Reference, StoredEntry, World } from '../../kernel/imports/section.ts'
import { ID_PATTERN } from '../courses/schema.ts'
import { type Contents, readContents } from './contents.ts'

const MAX_RECORDS = 100_000
const SHOWN_ERRORS = 3

export const RecordId = Type.String({ pattern: ID_PATTERN, maxLength: 64 })
export const RecordHandle = Type.String({ minLength: 1, maxLength: 31 })
export const RecordTime = Type.String({
  pattern: '^(19|20)\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d(:\\d\\d(\\.\\d{1,3})?)?Z$',
})

/** Properties that are checked in the same way for all kinds of records. */
interface ClassRecord {
  readonly id: string
  readonly handle?: string | undefined
  readonly lesson?: string | undefined
}

interface ClassEntry {
  readonly key: string
}

/** A record with its path in the file, the class entry that contains it, and the contents of that class. */
interface PlacedRecord<R> {
  readonly one: R
  readonly place: string
  readonly entry: ClassEntry
  readonly contents: Contents
}

/**
 * Describes how one kind of record of a class is imported: attempts, notes or statements. Records are history, so
 * existing records stay unchanged, and new ones emit no events.
 */
interface RecordTie<S extends TObject, R> {
  readonly field: string
  readonly schema: S
  /** The properties that are times. They must not be in the future. */
  readonly times: readonly (keyof R & string)[]
  /** Lists references to other entries, except the student in `handle`. */
  refer?(record: R): Iterable<{ readonly field: string } & Omit<Reference, 'place'>>
  /** Checks the records of one class for mistakes that the schema cannot express. */
  check?(records: readonly [number, R][], place: string, now: Date): Iterable<Mistake>
  checkHere?(db: Db, records: readonly PlacedRecord<R>[], world: World): Promise<Mistake[]>
  /** Returns those of the given ids that are already stored. */
  findIds(db: Db, ids: string[]): Promise<string[]>
  write: ImportTie<ClassEntry, StoredEntry, ReadonlySet<string>, readonly R[]>['write']
}

export function recordTie<S extends TObject, R extends ClassRecord = Static<S> & ClassRecord>(
  tie: RecordTie<S, R>,
): ImportTie<ClassEntry, StoredEntry, ReadonlySet<string>, readonly R[]> {
  const { field } = tie
  const shape = Compile(tie.schema)
  const listOf = (entry: object): unknown[] => {
    const list = (entry as Record<string, unknown>)[field]
    return Array.isArray(list) ? list : []
  }
  const recordsOf = (entry: object) =>
    [...listOf(entry).entries()].filter((pair): pair is [number, R] => shape.Check(pair[1]))
  const isPast = (time: unknown, now: Date) => time === undefined || Date.parse(time as string) <= now.getTime()

  return {
    field,
    schema: Type.Optional(
      Type.Array(Type.Unknown(), {
        maxItems: MAX_RECORDS,
        must: `a list of at most ${MAX_RECORDS} ${field}`,
        about: `${field[0]!.toUpperCase()}${field.slice(1)} to add, recognised by id; existing ones stay the same (see below)`,
      } satisfies Field),
    ),
    when: 'after',
    isAdded: true,

    *check(classes, now) {
      const seen = new Set<string>()
      for (const [i, entry] of classes.entries()) {
        const place = `classes[${i}].${field}`
        for (const [j, one] of listOf(entry).entries())
          for (const { instancePath, message } of shape.Errors(one).slice(0, SHOWN_ERRORS))
            yield `${place}[${j}]${instancePath.replaceAll('/', '.')}: ${message}`
        const records = recordsOf(entry)
        for (const [j, one] of records) {
          if (seen.has(one.id)) yield `${place}[${j}].id: must be unique: ${one.id} appears twice`
          seen.add(one.id)
          for (const name of tie.times) if (!isPast(one[name], now)) yield `${place}[${j}].${name}: must be in the past`
        }
        yield* tie.check?.(records, place, now) ?? []
      }
    },

    *refer(entry, place) {
      for (const [j, one] of recordsOf(entry)) {
        const at = `${place}.${field}[${j}]`
        if (one.handle !== undefined)
          yield { place: `${at}.handle`, to: peopleSection, key: normaliseHandle(one.handle) }
        for (const { field: name, to, key } of tie.refer?.(one) ?? []) yield { place: `${at}.${name}`, to, key }
      }
    },

    async checkHere(db, classes, world) {
      const found = classes.flatMap((entry, i) =>
        recordsOf(entry).map(([j, one]) => ({ entry, one, place: `classes[${i}].${field}[${j}]` })),
      )
      if (found.length === 0) return []
      const contentsOf = await readContents(db, classes, world)
      const all = found.map((record) => ({ ...record, contents: contentsOf(record.entry) }))
      const unknown = all.flatMap(({ one: { handle, lesson }, place, contents }) => [
        ...(handle === undefined || contents.hasStudent(handle)
          ? []
          : [`${place}.handle: must be a student of the class`]),
        ...(lesson === undefined || contents.hasLesson(lesson)
          ? []
          : [`${place}.lesson: must be a lesson of the class`]),
      ])
      return [...unknown, ...((await tie.checkHere?.(db, all, world)) ?? [])]
    },

    async read(db, classes) {
      const ids = classes.flatMap(({ entry }) => recordsOf(entry).map(([, { id }]) => id))
      return new Set(await tie.findIds(db, ids))
    },
    plan(entry, _found, known) {
      const added = recordsOf(entry).flatMap(([, one]) => (known.has(one.id) ? [] : [one]))
      return added.length > 0 ? added : undefined
    },
    pick: (_entry, added) => added,
    write: tie.write,
  }
}
