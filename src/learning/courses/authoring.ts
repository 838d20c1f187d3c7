import { readAuthored } from '../../apps/organisations/organisations.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { readName } from '../../kernel/lines.ts'
import { managed } from '../../kernel/managed.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import * as store from './authoring-store.ts'
import { checkContent } from './checking.ts'
import { removeCourses, shownContent } from './courses.ts'
import { revealsId } from './guesses.ts'
import { publishVersion } from './publish.ts'
import { canonicalCourse } from './rules.ts'
import {
  type CourseContent,
  type CourseDocument,
  type CourseVersion,
  ID_MUST,
  ID_PATTERN,
  kindOf,
  type LessonDetails,
  type ListManagedCourses,
  type ListVersions,
  lessonsIn,
  type ManagedCourse,
  type PreviewLesson,
  type ReadCourse,
  type ReadDocument,
  type SaveCourse,
} from './schema.ts'

// These operations are for those who edit a course: owners of its organisation, administrators, and the instructor who
// created it if the organisation lets instructors create courses. A course that the caller does not edit is refused
// like one that does not exist.

const NOT_MANAGED = 'There is no course with this id, or you do not manage it'
const OWN_ID = new RegExp(ID_PATTERN)

/** Generates an id of the form that authors choose, which begins with a letter or a digit. */
export function makeOwnId(): string {
  const id = makeId()
  return OWN_ID.test(id) ? id : makeOwnId()
}

/** Returns the id that the caller chose, or a generated one if there is none. Throws if the id is not valid. */
export function readOwnId(field: string, id: string | undefined): string {
  if (id === undefined) return makeOwnId()
  if (!OWN_ID.test(id)) throw fail('validationFailed', `${field} must be ${ID_MUST}`)
  return id
}

const findCourse = (db: Db, { person, key }: { person: number; key: string }) =>
  db.first(store.findManaged, { person, course: key })

/** Reads and locks courses. The lock also prevents publishing and the creation of classes. */
const course = {
  find: findCourse,
  lock: (tx: Tx, key: string) => tx.first(store.lockCourse, { course: key }),
  refusal: NOT_MANAGED,
}
export const editedCourse = managed({ ...course, isManaged: ({ edits }) => edits })

/**
 * Creates an unpublished course with a draft, or replaces the draft of an existing course. Published versions do not
 * change.
 */
export function saveCourse(
  db: Db,
  who: PersonCaller,
  { courseId, organisation, ...given }: SaveCourse,
  environment: EnvironmentName,
): Promise<CourseDocument> {
  return db.transaction(async (tx) => {
    const owner = organisation === undefined ? undefined : await readAuthored(tx, who, organisation)
    if (courseId !== undefined) await tx.first(store.lockCourse, { course: courseId })
    const course = courseId === undefined ? undefined : await findCourse(tx, { person: who.personId, key: courseId })
    if (course && owner && !course.edits) throw taken()
    if (!owner && courseId === undefined)
      throw fail('parameterMissing', 'organisation is missing: it is required for a new course')
    if (!owner && !course?.edits) throw fail('forbidden', `${NOT_MANAGED}; for a new course, send organisation`)
    if (course && owner && owner.key !== course.organisation)
      throw fail(
        'validationFailed',
        `organisation must stay ${course.organisation}: a course cannot change its organisation`,
      )
    const key = course?.key ?? readOwnId('courseId', courseId)
    const content = { ...given, name: readName(given.name) }
    const place = { key, organisation: owner?.key ?? course!.organisation }
    await checkContent(tx, { ...place, isFinal: false }, content, environment)
    const draft = canonicalCourse(content)
    if (course) await tx.first(store.setDraft, { course: course.id, draft, now: who.at })
    else await createCourse(tx, who, { key, organisation: owner!.id, draft })
    await audit(tx, who, course ? 'course.drafted' : 'course.created', { course: key })
    return readDocument(tx, who, { courseId: key })
  })
}

/** Creates a course. Throws if the id is taken. */
export async function createCourse(
  tx: Tx,
  who: PersonCaller,
  what: { key: string; organisation: number; draft: string },
): Promise<void> {
  if (!(await tx.first(store.createCourse, { ...what, author: who.personId, now: who.at }))) throw taken()
}

const taken = () =>
  revealsId(fail('conflict', 'A course with this id already exists; choose another id, or leave it out'))

/**
 * Reads a course in the form that authors write: the given version, or by default the draft, or the newest version if
 * there is no draft.
 */
export async function readDocument(db: Db, who: PersonCaller, what: ReadDocument): Promise<CourseDocument> {
  const course = await editedCourse.read(db, who, what.courseId)
  const { key: courseId, organisation, version, edits } = course
  const ids = { courseId, organisation, version, may: { createClasses: edits } }
  if (what.version === undefined) {
    const document = JSON.parse((course.draft ?? course.document)!)
    return { ...ids, draft: course.draft !== null, ...document }
  }
  const found = await db.first(store.findDocument, { course: course.id, version: what.version })
  if (!found) throw fail('notFound', 'This course has no such version')
  return { ...ids, version: what.version, draft: false, ...JSON.parse(found.document) }
}

/** Reads the content of a lesson of a draft, as students will see it after the course is published. */
export async function previewLesson(
  db: Db,
  who: PersonCaller,
  what: PreviewLesson,
  environment: Environment,
): Promise<LessonDetails> {
  const { courseId, organisation, ...course } = await readDocument(db, who, { courseId: what.courseId })
  const lesson = lessonsIn(course).find(({ id }) => id === what.lessonId)
  if (!lesson) throw fail('notFound', 'The course has no lesson with this id')
  return {
    lessonId: lesson.id,
    courseId,
    organisation,
    name: lesson.name,
    description: lesson.description ?? '',
    kind: kindOf(lesson),
    threshold: lesson.threshold ?? null,
    ...(await shownContent(db, organisation, lesson, environment)),
  }
}

/** Publishes the draft as the newest version. Existing classes stay on the version that they use. */
export function publishCourse(
  db: Db,
  who: PersonCaller,
  what: ReadCourse,
  environment: EnvironmentName,
): Promise<CourseVersion> {
  return db.transaction(async (tx) => {
    const { id, key, organisation, draft, document, version } = await editedCourse.lock(tx, who, what.courseId)
    if (draft === null) throw fail('impossibleNow', 'There is no draft to publish; change the course first')
    if (draft === document) throw fail('impossibleNow', `The draft is the same as version ${version}; change it first`)
    const content: CourseContent = JSON.parse(draft)
    // Check again, because apps and the ids in other courses may have changed since the draft was saved.
    await checkContent(tx, { key, organisation, isFinal: true }, content, environment)
    const { number } = await publishVersion(tx, who, { courseId: id, organisation, content, environment })
    await audit(tx, who, 'course.published', { course: key, before: version, after: number })
    return { courseId: key, version: number, name: content.name, publishedDate: who.at.toISOString(), classes: 0 }
  })
}

export async function listVersions(db: Db, who: PersonCaller, what: ListVersions): Promise<Page<CourseVersion>> {
  const { id, key } = await editedCourse.read(db, who, what.courseId)
  const rows = await db.all(store.listVersions, { course: id, ...spanOf(what) })
  const versions = rows.map(({ number, name, published_at, classes }) => ({
    courseId: key,
    version: number,
    name,
    publishedDate: published_at,
    classes,
  }))
  return pageOf(versions, rows[0]?.total ?? 0, what)
}

export function discardDraft(db: Db, who: PersonCaller, what: ReadCourse): Promise<void> {
  return db.transaction(async (tx) => {
    const { id, key, draft, version } = await editedCourse.lock(tx, who, what.courseId)
    if (draft === null) throw fail('impossibleNow', 'There is no draft to discard')
    if (version === null)
      throw fail(
        'impossibleNow',
        'This course was never published, so its draft cannot be discarded; delete the course instead',
      )
    await tx.first(store.setDraft, { course: id, draft: null, now: who.at })
    await audit(tx, who, 'course.draft-discarded', { course: key })
  })
}

export function removeCourse(db: Db, who: PersonCaller, what: ReadCourse): Promise<void> {
  return db.transaction(async (tx) => {
    const { id, key, version } = await editedCourse.lock(tx, who, what.courseId)
    if ((await tx.first(store.findClass, { course: id }))?.has_class)
      throw fail('impossibleNow', 'This course has classes, so it cannot be deleted')
    await removeCourses(tx, { keys: [key] })
    await audit(tx, who, 'course.removed', { course: key, before: version })
  })
}

export async function listManagedCourses(
  db: Db,
  who: PersonCaller,
  what: ListManagedCourses,
): Promise<Page<ManagedCourse>> {
  const { organisation = null } = what
  const rows = await db.all(store.listManaged, { person: who.personId, organisation, ...spanOf(what) })
  const courses = rows.map(({ key, organisation, name, version, has_draft, classes }) => ({
    courseId: key,
    organisation,
    name,
    version,
    draft: has_draft,
    classes,
  }))
  return pageOf(courses, rows[0]?.total ?? 0, what)
}

/** Lists the courses that a person created, for their download. */
export async function* exportCourses(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const row of db.stream(store.exportCreated, { person: personId }))
    yield { courseId: row.key, organisation: row.organisation, name: row.name, createdDate: row.created_at }
}

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, detail: Record<string, string | number | null>) =>
  recordAudit(tx, who, { action, personId: who.personId, detail })
