import { Type } from 'typebox'
import { normaliseHandle } from '../../identity/people/handles.ts'
import { peopleSection } from '../../identity/people/import.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { makeId } from '../../kernel/ids.ts'
import { type Field, Flag, Handles, Line, Matching, OrNull } from '../../kernel/imports/fields.ts'
import { given, type ImportSection, type ImportTie, isObject, lineOf, textsIn } from '../../kernel/imports/section.ts'
import { courseSection, ImportId } from '../courses/import.ts'
import { normaliseJoinCode } from './rules.ts'
import * as store from './store.ts'

const Class = Type.Object({
  key: ImportId('The classId'),
  course: ImportId('The courseId; the class stays on the version that is newest when the class is created'),
  name: Line(200, 'Name of the class', { minLength: 1 }),
  sequential: Type.Optional(Flag('Whether a lesson is locked until every earlier one is passed; false by default')),
  joinCode: Type.Optional(
    OrNull(
      Matching(
        '^[A-Za-z0-9-]{4,40}$',
        '4 to 40 letters, digits or -',
        'Students can join with it; none by default',
        40,
      ),
    ),
  ),
  ended: Type.Optional(Flag('Whether the class is closed, so that nothing more is recorded; false by default')),
})

interface ClassEntry {
  readonly key: string
  /** Like `name`, always present in a file, but it may be absent in a part of an accepted import (imports/parts.ts). */
  readonly course: string
  readonly name: string
  readonly sequential?: boolean
  readonly joinCode?: string | null
  readonly ended?: boolean
}
type StoredClass = RowOf<typeof store.findClasses>
interface ClassPlan {
  readonly course: string
  readonly name: string
  readonly is_sequential: boolean
  readonly join_code: string | null
  readonly has_ended: boolean
}

const codeOf = (code: string | null | undefined) => code && normaliseJoinCode(code)

export const classSection: ImportSection<ClassEntry, StoredClass, ClassPlan> = {
  name: 'classes',
  one: 'class',
  key: 'key',
  schema: Class,
  *refer({ course }, place) {
    if (typeof course === 'string') yield { place: `${place}.course`, to: courseSection, key: course }
  },
  find: (db, keys) => db.all(store.findClasses, { keys }),
  lock: (tx, { own }) => tx.all(store.lockClasses, { keys: own }),

  async checkHere(db, entries, { find }) {
    const codes = entries.map(({ joinCode }) => codeOf(joinCode))
    const taken = new Map(
      (await db.all(store.findJoinCodes, { codes: codes.filter((code) => code != null) })).map((row) => [
        row.code,
        row.class,
      ]),
    )
    return entries.flatMap(({ key, course }, i) => {
      const code = codes[i]
      const owner = code ? taken.get(code) : undefined
      const found = find(classSection, key)
      const isTwice = code && codes.indexOf(code) !== i
      return [
        ...((owner !== undefined && owner !== key) || isTwice
          ? [`classes[${i}].joinCode: must be unique: it is the code of ${owner ?? 'another class'}`]
          : []),
        ...(found && course !== undefined && found.course !== course
          ? [`classes[${i}].course: must stay ${found.course}; create another class for another course`]
          : []),
      ]
    })
  },

  plan(entry, found) {
    const change = {
      course: entry.course ?? found?.course,
      name: lineOf(entry.name) ?? found?.name,
      is_sequential: entry.sequential ?? found?.is_sequential ?? false,
      join_code: given(codeOf(entry.joinCode), found?.join_code),
      has_ended: entry.ended ?? found?.has_ended ?? false,
    }
    const isSame =
      found !== undefined && Object.entries(change).every(([name, value]) => found[name as keyof StoredClass] === value)
    return { change, isSame }
  },

  async write(tx, who, changes, { idOf }) {
    const rows = changes.map(({ key, id, change: { course, ...row } }) => ({
      key,
      id,
      course_id: idOf(courseSection, course),
      ...row,
    }))
    const [made, kept] = [rows.filter(({ id }) => id === undefined), rows.filter(({ id }) => id !== undefined)]
    await tx.all(store.updateClasses, { rows: JSON.stringify(kept), now: who.at })
    return tx.all(store.insertClasses, { rows: JSON.stringify(made), now: who.at })
  },
}

/** Imports the instructors or the observers of a class. The list in the file replaces the stored one. */
const staffTie = (
  field: 'instructors' | 'observers',
  role: string,
): ImportTie<Record<string, unknown>, StoredClass, ReadonlyMap<number, ReadonlySet<string>>, readonly string[]> => ({
  field,
  schema: Type.Optional(Handles(1000, `All ${field} of the class; others are removed`)),
  when: 'after',
  *refer(entry, place) {
    for (const [i, handle] of textsIn(entry[field]))
      yield { place: `${place}.${field}[${i}]`, to: peopleSection, key: normaliseHandle(handle) }
  },
  async read(db, classes) {
    const rows = await db.all(store.findStaff, { classes: classes.map(({ id }) => id) })
    const own = rows.filter((row) => row.role === role)
    return new Map(
      [...Map.groupBy(own, (row) => row.class_id)].map(([id, staff]) => [id, new Set(staff.map((row) => row.handle))]),
    )
  },
  plan(entry, found, state) {
    if (entry[field] === undefined) return undefined
    const wanted = [...new Set((entry[field] as string[]).map(normaliseHandle))]
    const stored = (found && state.get(found.id)) ?? new Set()
    return wanted.length === stored.size && wanted.every((handle) => stored.has(handle)) ? undefined : wanted
  },
  pick: (_entry, wanted) => wanted,
  async write(tx, _who, changes, { idOf }) {
    const rows = changes.flatMap(({ id, change }) =>
      change.map((handle) => ({ class_id: id, person_id: idOf(peopleSection, handle) })),
    )
    await tx.all(store.replaceStaff, { classes: changes.map(({ id }) => id), role, rows: JSON.stringify(rows) })
  },
})

interface StudentEntry {
  readonly handle: string
  readonly id?: string
}
export const studentsOf = (entry: { students?: unknown }): [number, StudentEntry][] =>
  Array.isArray(entry.students)
    ? [...entry.students.entries()].flatMap(([i, student]): [number, StudentEntry][] =>
        typeof student === 'string'
          ? [[i, { handle: student }]]
          : isObject(student) && typeof student.handle === 'string'
            ? [[i, student as unknown as StudentEntry]]
            : [],
      )
    : []

const MAX_STUDENTS = 10_000

/**
 * Imports the students of a class. An import only adds students, so that an incomplete list does not remove anybody's
 * records. To drop students, use a roster or the API.
 */
const studentTie: ImportTie<
  { key: string; students?: unknown },
  StoredClass,
  ReadonlyMap<number, ReadonlyMap<string, string>>,
  readonly StudentEntry[]
> = {
  field: 'students',
  schema: Type.Optional(
    Type.Array(
      Type.Union([
        Type.String({ minLength: 1, maxLength: 31 }),
        Type.Object(
          { handle: Type.String({ minLength: 1, maxLength: 31 }), id: Type.Optional(ImportId('The studentId')) },
          { additionalProperties: false },
        ),
      ]),
      {
        maxItems: MAX_STUDENTS,
        must: `a list of at most ${MAX_STUDENTS} handles, each alone or as {"handle", "id"} with a studentId`,
        about: 'Students to add; none is removed',
      } satisfies Field,
    ),
  ),
  when: 'after',
  isAdded: true,
  *check(classes) {
    const seen = new Set<string>()
    for (const [i, entry] of classes.entries()) {
      const people = new Set<string>()
      for (const [j, { id, handle }] of studentsOf(entry)) {
        if (id !== undefined && seen.has(id))
          yield `classes[${i}].students[${j}].id: must be unique: ${id} appears twice`
        if (id !== undefined) seen.add(id)
        const person = normaliseHandle(handle)
        if (people.has(person)) yield `classes[${i}].students[${j}]: must be unique: ${handle} appears twice`
        people.add(person)
      }
    }
  },
  *refer(entry, place) {
    for (const [j, { handle }] of studentsOf(entry))
      yield { place: `${place}.students[${j}]`, to: peopleSection, key: normaliseHandle(handle) }
  },
  async checkHere(db, classes) {
    const keys = classes.flatMap((entry) => studentsOf(entry).flatMap(([, { id }]) => id ?? []))
    const owners = new Map((await db.all(store.findStudentOwners, { keys })).map((row) => [row.key, row]))
    return classes.flatMap((entry, i) =>
      studentsOf(entry).flatMap(([j, { id, handle }]) => {
        const owner = id === undefined ? undefined : owners.get(id)
        return owner === undefined || (owner.class === entry.key && owner.handle === normaliseHandle(handle))
          ? []
          : [`classes[${i}].students[${j}].id: must be unique: it is @${owner.handle} in ${owner.class}`]
      }),
    )
  },
  async read(db, classes) {
    const rows = await db.all(store.findStudents, { classes: classes.map(({ id }) => id) })
    return new Map(
      [...Map.groupBy(rows, (row) => row.class_id)].map(([id, students]) => [
        id,
        new Map(students.map((student) => [student.handle, student.status])),
      ]),
    )
  },
  plan(entry, found, state) {
    const known = (found && state.get(found.id)) ?? new Map()
    const added = studentsOf(entry)
      .map(([, student]) => student)
      .filter(({ handle }) => !known.has(normaliseHandle(handle)))
    return added.length > 0 ? added : undefined
  },
  pick: (_entry, added) => added,
  async write(tx, who, changes, { idOf }) {
    const rows = changes.flatMap(({ id, change }) =>
      change.map((student) => ({
        key: student.id ?? makeId(),
        class_id: id,
        person_id: idOf(peopleSection, normaliseHandle(student.handle)),
      })),
    )
    await tx.all(store.insertEnrolments, { rows: JSON.stringify(rows), now: who.at })
  },
}

export const classTies = [staffTie('instructors', 'instructor'), staffTie('observers', 'observer'), studentTie]
