import type { Member } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import type { ClassRecord, ListClasses } from './schema.ts'
import * as store from './store.ts'

/** Lists the classes in which the caller is a student or staff, newest first. Classes that have ended come last. */
export async function listClasses(db: Db, who: Member, what: ListClasses): Promise<Page<ClassRecord>> {
  const rows = await db.all(store.listClasses, { person: who.personId, ...spanOf(what) })
  const docs = rows.map((row) => ({
    classId: row.class,
    groupId: row.class,
    name: row.name,
    joinCode: row.join_code ?? '',
    studentId: row.student ?? '',
    role: row.role as ClassRecord['role'],
    sequential: row.is_sequential,
    ended: row.has_ended,
    course: toCourse(row),
  }))
  return pageOf(docs, rows[0]?.total ?? 0, what)
}

type CourseOfClass = Pick<
  RowOf<typeof store.listClasses>,
  'course' | 'course_name' | 'description' | 'profile_pic' | 'cover_photo' | 'is_public' | 'organisation' | 'version'
>

/** Describes the course in the version that the class uses. */
export const toCourse = (row: CourseOfClass): ClassRecord['course'] => ({
  courseId: row.course,
  name: row.course_name,
  description: row.description,
  profilePic: row.profile_pic ?? '',
  coverPhoto: row.cover_photo ?? '',
  public: row.is_public,
  organisation: row.organisation,
  version: row.version,
})

/**
 * Deletes those of the given classes that have no students other than these people, with everything recorded in them.
 * Returns the keys of the deleted classes.
 */
export const removeClasses = async (
  db: Db,
  what: { keys: readonly string[]; without: readonly number[] },
): Promise<string[]> =>
  (await db.all(store.deleteClasses, { keys: [...what.keys], people: [...what.without] })).map(({ key }) => key).sort()

/** Revokes the join codes of the given classes. Returns the keys of the classes that exist. */
export const dropJoinCodes = async (db: Db, { keys }: { keys: readonly string[] }): Promise<string[]> =>
  (await db.all(store.dropJoinCodes, { keys: [...keys] })).map(({ key }) => key).sort()
