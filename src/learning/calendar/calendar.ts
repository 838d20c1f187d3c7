import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { readRange } from './rules.ts'
import type { Agenda, Calendar, ListCalendar } from './schema.ts'
import * as store from './store.ts'

/** The agenda tells what is due or opens within two weeks. */
const UPCOMING_MS = 14 * 86_400_000
/** Largest number of entries of a response. */
const MAX_ENTRIES = 1000

/** Reads what a student has to do, and what waits in the classes that the person teaches. */
export async function readAgenda(db: Db, { personId: person, at: now }: PersonCaller): Promise<Agenda> {
  const [row, taught] = await Promise.all([
    db.first(store.readAgenda, { person, now, until: new Date(now.getTime() + UPCOMING_MS) }),
    db.all(store.listTaught, { person, now }),
  ])
  const { next, overdue, upcoming, waiting, finished } = row!
  const [past, coming] = [JSON.parse(overdue), JSON.parse(upcoming)]
  return {
    next: JSON.parse(next),
    overdue: past.entries,
    overdueTotal: past.total,
    upcoming: coming.entries,
    upcomingTotal: coming.total,
    waiting: JSON.parse(waiting),
    finished: JSON.parse(finished),
    teaching: taught.map((one) => ({
      classId: one.class,
      className: one.class_name,
      toGrade: one.to_grade,
      overdue: one.overdue,
    })),
  }
}

/** Lists when lessons and classes open, are due and close, in the classes that the person takes or teaches. */
export async function listCalendar(
  db: Db,
  { personId: person, at: now }: Pick<PersonCaller, 'personId' | 'at'>,
  { classId, ...days }: ListCalendar,
): Promise<Calendar> {
  return readEntries(db, { person, now, class: classId ?? null, ...readRange(days) })
}

type Entry = Calendar['entries'][number] & { readonly changed: string }

/** Reads the entries, up to MAX_ENTRIES, and when each was set. */
export async function readEntries(
  db: Db,
  what: { person: number; now: Date; class: string | null; from: Date; to: Date },
): Promise<Calendar & { entries: Entry[] }> {
  const row = await db.first(store.listCalendar, { ...what, limit: MAX_ENTRIES + 1 })
  const entries: Entry[] = JSON.parse(row!.entries)
  return {
    entries: entries.slice(0, MAX_ENTRIES),
    isComplete: entries.length <= MAX_ENTRIES,
    classes: JSON.parse(row!.classes),
  }
}
