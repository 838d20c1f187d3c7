import type { Static } from 'typebox'
import type { Member } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { isPaged, type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { linkFiles } from '../content/content.ts'
import { filesOf } from './rules.ts'
import type {
  CourseRecord,
  Lesson,
  LessonContent,
  LessonDetails,
  LessonKind,
  LessonScores,
  ListAppLessons,
  ListCourses,
  ListLessons,
  ReadCourse,
  ReadLesson,
} from './schema.ts'
import * as store from './store.ts'

type LessonRow = RowOf<typeof store.findLesson>

const NO_LESSON = 'There is no lesson with this id, or you do not take it'
const NO_COURSE = 'There is no course with this id, or you do not take it'
const NOT_IN_CLASS = 'You are not in this class'

/** Reads a lesson in the course version that the caller's class uses. */
export async function readLesson(db: Db, who: Member, { lessonId, classId }: ReadLesson): Promise<Lesson> {
  if (classId !== undefined) await checkRole(db, who, classId)
  const names = { person: who.personId, lesson: lessonId, class: classId ?? null, now: who.at }
  const rows = await db.all(store.findLesson, names)
  const row = rows.find(({ lesson }) => lesson === lessonId)
  if (!row) throw fail('notFound', NO_LESSON)
  const children = rows.filter(({ parent }) => parent === lessonId)
  const withKind = (row: LessonRow, childLessons: readonly Lesson[] = []) => ({
    ...toLesson(row, childLessons),
    isAssessment: row.is_assessment,
  })
  return withKind(
    row,
    children.map((child) => withKind(child)),
  )
}

/**
 * Reads the content of a lesson for those who take or teach it. Students cannot read a lesson that is locked, or while
 * they are suspended.
 */
export async function readLessonContent(
  db: Db,
  who: Member,
  what: ReadLesson,
  environment: Environment,
): Promise<LessonDetails> {
  const { lessonId, classId } = what
  if (classId !== undefined) await checkRole(db, who, classId)
  const names = { person: who.personId, lesson: lessonId, class: classId ?? null, now: who.at }
  const row = await db.first(store.findDetails, names)
  if (!row) throw fail('notFound', NO_LESSON)
  if (row.suspended) throw fail('forbidden', 'You are suspended from this class; contact your instructor')
  if (row.locked)
    throw fail('impossibleNow', 'This lesson is locked; GET /edu/v1/lesson/progress/lock/reason says what to do first')
  const { course: courseId, organisation, name, description, threshold } = row
  const content: Partial<LessonContent> = row.content === null ? {} : JSON.parse(row.content)
  const kind = row.kind as LessonKind
  const shown = await shownContent(db, organisation, content, environment)
  return { lessonId, courseId, organisation, name, description, kind, threshold, ...shown }
}

/** Adds the URLs of files, and leaves out what students must not see: which questions a quiz can have. */
export async function shownContent(
  db: Db,
  organisation: string,
  content: Partial<LessonContent>,
  environment: Environment,
) {
  const { text, file, captions, rubric, quiz, package: packageId, item } = content
  const keys = filesOf(content)
  return {
    ...(text !== undefined && { text }),
    ...(file !== undefined && { file }),
    ...(captions !== undefined && { captions }),
    ...(keys.length > 0 && { files: await linkFiles(db, { organisation, keys }, environment) }),
    ...(rubric !== undefined && { rubric }),
    ...(quiz !== undefined && { quiz: { ...quiz, parts: undefined } }),
    ...(packageId !== undefined && { package: packageId, item }),
  }
}

/** Lists the lessons of a course in order, with child lessons inside their parents. */
export async function listLessons(db: Db, who: Member, what: ListLessons): Promise<Page<Lesson>> {
  const { course } = await findVisibleCourse(db, who, what.courseId)
  const rows = await db.all(store.listLessons, { person: who.personId, course, now: who.at, ...spanOf(what) })
  return pageOf(nest(rows), rows[0]?.total ?? 0, what)
}

const MAX_LISTED = 1000

/**
 * Lists the lessons that the calling app delivers in the caller's classes: a page if one is asked for, else as many as
 * fit into one response. Child lessons count as entries of a page.
 */
export async function listAppLessons(db: Db, who: Member, what: ListAppLessons): Promise<Lesson[] | Page<Lesson>> {
  const { classId } = what
  if (who.appId === undefined)
    throw fail('badRequest', 'Send the access token of an app: this lists the lessons of the calling app')
  if (classId !== undefined) await checkRole(db, who, classId)
  const filter = { person: who.personId, app: who.appId, class: classId ?? null, now: who.at }
  if (!isPaged(what)) return nest(await db.all(store.listAppLessons, { ...filter, limit: MAX_LISTED }))
  const rows = await db.all(store.listAppLessonsPage, { ...filter, ...spanOf(what) })
  return pageOf(nest(rows), rows[0]?.total ?? 0, what)
}

export async function readCourse(db: Db, who: Member, { courseId }: ReadCourse): Promise<CourseRecord> {
  return toCourse(await findVisibleCourse(db, who, courseId))
}

export async function listCourses(db: Db, who: Member, what: ListCourses): Promise<Page<CourseRecord>> {
  const rows = await db.all(store.listCourses, { person: who.personId, ...spanOf(what) })
  return pageOf(rows.map(toCourse), rows[0]?.total ?? 0, what)
}

export async function listObjectives(db: Db, who: Member, { courseId }: ReadCourse) {
  const { version_id: version, enrolment_id: enrolment } = await findVisibleCourse(db, who, courseId)
  const rows = await db.all(store.listObjectives, { version, enrolment })
  return rows.map(({ objective, name, description, lessons, scores }) => ({
    objectiveId: objective,
    courseId,
    name,
    description,
    lessonIds: lessons,
    lessonScores: JSON.parse(scores) as Static<typeof LessonScores>,
  }))
}

/** Deletes those of the given courses that have no classes. Returns the keys of the deleted courses. */
export const removeCourses = async (db: Db, what: { keys: readonly string[] }): Promise<string[]> =>
  (await db.all(store.deleteCourses, { keys: [...what.keys] })).map(({ key }) => key).sort()

async function findVisibleCourse(db: Db, who: Member, courseId: string) {
  const course = await db.first(store.findCourse, { person: who.personId, course: courseId })
  if (!course) throw fail('notFound', NO_COURSE)
  return course
}

async function checkRole(db: Db, who: Member, classId: string): Promise<void> {
  const role = await db.first(store.findRole, { person: who.personId, class: classId })
  if (!role?.is_inside) throw fail('forbidden', NOT_IN_CLASS)
}

/**
 * Puts child lessons inside their parents. A child lesson whose parent is not among the rows becomes a top-level entry.
 */
function nest(rows: readonly LessonRow[]): Lesson[] {
  const known = new Set(rows.map(({ lesson }) => lesson))
  const childrenOf = Map.groupBy(rows, ({ parent }) => (parent !== null && known.has(parent) ? parent : ''))
  return (childrenOf.get('') ?? []).map((row) =>
    toLesson(
      row,
      (childrenOf.get(row.lesson) ?? []).map((child) => toLesson(child)),
    ),
  )
}

const toLesson = (row: LessonRow, childLessons: readonly Lesson[] = []): Lesson => ({
  lessonId: row.lesson,
  courseId: row.course,
  name: row.name,
  description: row.description,
  profilePic: row.profile_pic ?? '',
  coverPhoto: row.cover_photo ?? '',
  media: row.media ?? '',
  expectedCompletionTime: row.expected_minutes ?? 0,
  instructorGraded: row.instructor_graded,
  childLessons,
  public: row.is_public,
  launchParameters: row.launch_parameters,
  locked: row.locked,
})

const toCourse = (row: Omit<RowOf<typeof store.listCourses>, 'total'>): CourseRecord => ({
  courseId: row.course,
  name: row.name,
  description: row.description,
  profilePic: row.profile_pic ?? '',
  coverPhoto: row.cover_photo ?? '',
  public: row.is_public,
  organisation: row.organisation,
  version: row.version,
})
