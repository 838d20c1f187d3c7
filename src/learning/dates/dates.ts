import { recordAudits } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readClass } from '../classes/enrolments.ts'
import { mayChange, maySee } from '../classes/roles.ts'
import { type DatesFault, FIELDS, faultAt, type PlacedEntry, placeConflict, readTimes, wrongTime } from './rules.ts'
import { type ClassDates, type ClearDates, type ListDates, MAX_DATES, type SetDates } from './schema.ts'
import * as store from './store.ts'

const MAX_FAULTS = 100

type ClassRow = Awaited<ReturnType<typeof readClass>>

/** Lists the dates that staff have set, for the class, its lessons and single students. */
export async function listDates(db: Db, who: PersonCaller, { classId, studentId }: ListDates): Promise<ClassDates> {
  return present(db, await readClass(db, who, classId, maySee), studentId)
}

async function present(db: Db, found: ClassRow, studentId?: string): Promise<ClassDates> {
  const rows = await db.all(store.listDates, {
    class: found.id,
    version: found.version_id,
    student: studentId ?? null,
  })
  return {
    classId: found.class,
    timeZone: await readTimeZone(db, found),
    dates: rows.map((row) => ({
      lessonId: row.lesson,
      studentId: row.student,
      name: row.name,
      opens: row.opens_at,
      due: row.due_at,
      closes: row.closes_at,
    })),
  }
}

const readTimeZone = async (db: Db, { organisation_id }: ClassRow): Promise<string> =>
  (await db.first(store.findTimeZone, { organisation: organisation_id }))!.time_zone

/**
 * Sets dates of a class, of its lessons and of single students, all of them or none. Refuses them if a lesson would be
 * due before it opens or close before it is due, for anybody.
 */
export const setDates = (db: Db, who: PersonCaller, what: SetDates): Promise<ClassDates> =>
  db.transaction(async (tx) => {
    const found = await lockClass(tx, who, what.classId)
    const entries = await placeEntries(tx, found, what)
    await save(tx, who, found, entries)
    const { dates } = (await tx.first(store.countDates, { class: found.id }))!
    if (dates > MAX_DATES) throw fail('validationFailed', `A class can have at most ${MAX_DATES} dates`)
    await checkOrder(tx, found, entries)
    return present(tx, found)
  })

/** Clears the dates of a class, a lesson or a student, so that those that they inherit apply. */
export const clearDates = (db: Db, who: PersonCaller, { classId, ...what }: ClearDates): Promise<ClassDates> =>
  setDates(db, who, { classId, dates: [{ ...what, opens: null, due: null, closes: null }] })

async function lockClass(tx: Tx, who: PersonCaller, classId: string): Promise<ClassRow> {
  await tx.first(store.lockClass, { class: classId })
  const found = await readClass(tx, who, classId, mayChange)
  if (found.has_ended) throw fail('impossibleNow', 'This class is closed; reopen it to change its dates')
  return found
}

interface Entry extends PlacedEntry {
  readonly lessonKey: string | null
  readonly personId: number | undefined
  readonly times: ReturnType<typeof readTimes>
}

/** Reads the entries of a request, and finds their lessons and students. */
async function placeEntries(tx: Tx, found: ClassRow, { dates }: SetDates): Promise<Entry[]> {
  const keysOf = (name: 'lessonId' | 'studentId') => [...new Set(dates.flatMap((entry) => entry[name] ?? []))]
  const lessons = new Map(
    (await tx.all(store.findLessons, { version: found.version_id, keys: keysOf('lessonId') })).map((row) => [
      row.key,
      row.id,
    ]),
  )
  const students = new Map(
    (await tx.all(store.findStudents, { class: found.id, keys: keysOf('studentId') })).map((row) => [row.key, row]),
  )
  const faults: DatesFault[] = []
  const seen = new Set<string>()
  const entries = dates.map((entry, index): Entry => {
    const { lessonId, studentId } = entry
    const times = readTimes(entry)
    faults.push(...times.wrong.map((field) => wrongTime(index, field)))
    const lesson = lessonId === undefined ? null : lessons.get(lessonId)
    const student = studentId === undefined ? null : students.get(studentId)
    if (lesson === undefined)
      faults.push(faultAt(index, 'lessonId', 'name a lesson of this class', 'This lesson is not in this class'))
    if (student === undefined)
      faults.push(faultAt(index, 'studentId', 'name a student of this class', 'This student is not in this class'))
    const key = `${lessonId ?? ''} ${studentId ?? ''}`
    if (seen.has(key))
      faults.push(faultAt(index, 'lessonId', 'appear once for each student', 'These dates are in the request twice'))
    seen.add(key)
    return {
      index,
      lesson: lesson ?? null,
      student: student?.id ?? null,
      lessonKey: lessonId ?? null,
      personId: student?.person_id,
      fields: FIELDS.filter((field) => times[field] !== undefined),
      times,
    }
  })
  refuse(faults)
  return entries
}

/** Writes the entries that change something, and an audit entry for each. */
async function save(tx: Tx, who: PersonCaller, found: ClassRow, entries: readonly Entry[]): Promise<void> {
  const zone = await readTimeZone(tx, found)
  const places = JSON.stringify(entries.map(({ lesson, student }) => ({ lesson, student })))
  const read = async () =>
    new Map(
      (await tx.all(store.findDates, { class: found.id, rows: places })).map((row) => [
        `${row.lesson} ${row.student}`,
        { opens: row.opens_at, due: row.due_at, closes: row.closes_at },
      ]),
    )
  const none = { opens: null, due: null, closes: null }
  const before = await read()
  const rows = entries.map(({ lesson, student, times }) => {
    const stored = before.get(`${lesson} ${student}`) ?? none
    const merged = FIELDS.map((field) => [field, times[field] === undefined ? stored[field] : times[field]])
    return { lesson, student, ...Object.fromEntries(merged) }
  })
  await tx.all(store.saveDates, {
    class: found.id,
    rows: JSON.stringify(rows),
    zone,
    person: who.personId,
    now: who.at,
  })
  const after = await read()
  const changed = entries.flatMap(({ lesson, student, lessonKey, personId }) => {
    const [was, is] = [before, after].map((dates) => JSON.stringify(dates.get(`${lesson} ${student}`) ?? none))
    const detail = { class: found.class, lesson: lessonKey, before: was!, after: is!, by: who.personId }
    return was === is
      ? []
      : [{ action: 'class.dates-set' as const, ...(personId !== undefined && { personId }), detail }]
  })
  await recordAudits(tx, who, changed)
}

/** Throws if the dates of a lesson are in the wrong order because of these entries. */
async function checkOrder(tx: Tx, found: ClassRow, entries: readonly Entry[]): Promise<void> {
  const students = entries.flatMap(({ student }) => student ?? [])
  const conflicts = await tx.all(store.findConflicts, {
    class: found.id,
    students: students.length === entries.length ? students : null,
  })
  const faults = conflicts.flatMap((conflict) => placeConflict(conflict, entries) ?? [])
  // One sentence for each field: a due date of the whole class can be wrong for a hundred lessons.
  refuse([...new Map(faults.toReversed().map((fault) => [fault.pointer, fault])).values()].toReversed())
}

function refuse(faults: readonly DatesFault[]): void {
  const [first] = faults
  if (!first) return
  const refusal = fail('validationFailed', first.message)
  refusal.faults = faults.slice(0, MAX_FAULTS)
  throw refusal
}
