import type { Member } from '../caller.ts'
import type { Db } from '../database/database.ts'
import { readStudent } from './asked.ts'
import type { Locks, ReadLocks } from './schema.ts'
import * as store from './store.ts'

/** Which lessons of a class are locked for a student. */
export async function readLocks(db: Db, who: Member, what: ReadLocks): Promise<Locks> {
  const enrolment = await readStudent(db, who, what)
  const rows = await db.all(store.listLocks, { enrolment })
  const toLock = ({ lesson, locked }: (typeof rows)[number]) => ({ lessonId: lesson, locked })
  return rows
    .filter(({ parent }) => parent === null)
    .map((row) => ({
      ...toLock(row),
      childLessons: rows.filter(({ parent }) => parent === row.lesson).map(toLock),
    }))
}
