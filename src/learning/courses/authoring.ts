import { makeClientId } from '../../apps/apps/apps.ts'
import { isLaunchOf } from '../../apps/apps/redirect-uris.ts'
import { readManaged } from '../../apps/organisations/organisations.ts'
import type { AuditAction } from '../../kernel/audit/actions.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { makeId } from '../../kernel/ids.ts'
import { readName } from '../../kernel/lines.ts'
import { managed } from '../../kernel/managed.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import * as store from './authoring-store.ts'
import { removeCourses, shownContent } from './courses.ts'
import { revealsId } from './guesses.ts'
import { publishVersion } from './publish.ts'
import { canonicalCourse, findCourseMistakes, passCodeRefusal } from './rules.ts'
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
import { findOwners } from './store.ts'

// These operations are for the managers of a course: owners of its organisation, and administrators. A course that the
// caller does not manage is refused like one that does not exist.

const NOT_MANAGED = 'There is no course with this id, or you do not manage it'
const OWN_ID = new RegExp(ID_PATTERN)

/** Returns the id that the caller chose, or a generated one if there is none. Throws if the id is not valid. */
export function readOwnId(field: string, id: string | undefined): string {
  if (id === undefined) return makeId()
  if (!OWN_ID.test(id)) throw fail('validationFailed', `${field} must be ${ID_MUST}`)
  return id
}

const findCourse = (db: Db, { person, key }: { person: number; key: string }) =>
  db.first(store.findManaged, { person, course: key })

/** Reads and locks courses that the caller manages. The lock also prevents publishing and the creation of classes. */
const managedCourse = managed({
  find: findCourse,
  lock: (tx, key) => tx.first(store.lockCourse, { course: key }),
  isManaged: ({ manages }) => manages,
  refusal: NOT_MANAGED,
})
export const lockManagedCourse = managedCourse.lock

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
    const owner = organisation === undefined ? undefined : await readManaged(tx, who, organisation)
    if (courseId !== undefined) await tx.first(store.lockCourse, { course: courseId })
    const course = courseId === undefined ? undefined : await findCourse(tx, { person: who.personId, key: courseId })
    if (course && owner && !course.manages) throw taken()
    if (!owner && courseId === undefined)
      throw fail('parameterMissing', 'organisation is missing: it is required for a new course')
    if (!owner && !course?.manages) throw fail('forbidden', `${NOT_MANAGED}; for a new course, send organisation`)
    if (course && owner && owner.key !== course.organisation)
      throw fail(
        'validationFailed',
        `organisation must stay ${course.organisation}: a course cannot change its organisation`,
      )
    const key = course?.key ?? readOwnId('courseId', courseId)
    const content = { ...given, name: readName(given.name) }
    await checkContent(tx, key, content, environment)
    await checkQuestions(tx, owner?.key ?? course!.organisation, content, 'save')
    const draft = canonicalCourse(content)
    if (course) await tx.first(store.setDraft, { course: course.id, draft, now: who.at })
    else if (!(await tx.first(store.createCourse, { key, organisation: owner!.id, draft, now: who.at }))) throw taken()
    await audit(tx, who, course ? 'course.drafted' : 'course.created', { course: key })
    return readDocument(tx, who, { courseId: key })
  })
}

const taken = () =>
  revealsId(fail('conflict', 'A course with this id already exists; choose another id, or leave it out'))

/**
 * Reads a course in the form that authors write: the given version, or by default the draft, or the newest version if
 * there is no draft.
 */
export async function readDocument(db: Db, who: PersonCaller, what: ReadDocument): Promise<CourseDocument> {
  const course = await managedCourse.read(db, who, what.courseId)
  const { key: courseId, organisation, version } = course
  const ids = { courseId, organisation, version }
  if (what.version === undefined) {
    const document = JSON.parse((course.draft ?? course.document)!)
    return { ...ids, draft: course.draft !== null, ...document }
  }
  const found = await db.first(store.findDocument, { course: course.id, version: what.version })
  if (!found) throw fail('notFound', 'This course has no such version')
  return { ...ids, version: what.version, draft: false, ...JSON.parse(found.document) }
}

/** Reads the content of a lesson of a draft, as students will see it after the course is published. */
export async function previewLesson(db: Db, who: PersonCaller, what: PreviewLesson): Promise<LessonDetails> {
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
    ...shownContent(lesson),
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
    const { id, key, organisation, draft, document, version } = await lockManagedCourse(tx, who, what.courseId)
    if (draft === null) throw fail('impossibleNow', 'There is no draft to publish; change the course first')
    if (draft === document) throw fail('impossibleNow', `The draft is the same as version ${version}; change it first`)
    const content: CourseContent = JSON.parse(draft)
    // Check again, because apps and the ids in other courses may have changed since the draft was saved.
    await checkContent(tx, key, content, environment)
    await checkQuestions(tx, organisation, content, 'publish')
    const { number } = await publishVersion(tx, who, { courseId: id, content, environment })
    await audit(tx, who, 'course.published', { course: key, before: version, after: number })
    return { courseId: key, version: number, name: content.name, publishedDate: who.at.toISOString(), classes: 0 }
  })
}

export async function listVersions(db: Db, who: PersonCaller, what: ListVersions): Promise<Page<CourseVersion>> {
  const { id, key } = await managedCourse.read(db, who, what.courseId)
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
    const { id, key, draft, version } = await lockManagedCourse(tx, who, what.courseId)
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
    const { id, key, version } = await lockManagedCourse(tx, who, what.courseId)
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

/**
 * Throws if a course breaks a rule that the schema cannot express: the course must be consistent, no other course may
 * use its ids, its apps must exist, and the launch settings of its lessons must fit those apps.
 */
async function checkContent(tx: Tx, key: string, content: CourseContent, environment: EnvironmentName): Promise<void> {
  const [mistake] = findCourseMistakes(content)
  if (mistake) throw fail('validationFailed', `${mistake.where} must ${mistake.must}`)
  const lessons = lessonsIn(content)
  const ids = { lesson: lessons.map(({ id }) => id), objective: (content.objectives ?? []).map(({ id }) => id) }
  const owners = await tx.all(findOwners, { keys: [...ids.lesson, ...ids.objective] })
  for (const { kind, key: id, course } of owners)
    if (course !== key && ids[kind as 'lesson' | 'objective'].includes(id))
      throw revealsId(fail('validationFailed', `${kind}s must have unique ids: ${id} belongs to another course`))
  const clientOf = (app: string) => makeClientId(environment, app.replace(/^gs-(sbx-)?/, ''))
  const clients = [...new Set(lessons.flatMap(({ app }) => (app === undefined ? [] : clientOf(app))))]
  const apps = new Map((await tx.all(store.findApps, { clients })).map((row) => [row.client_id, row]))
  for (const { id, app, launchUri, passCode } of lessons) {
    if (app === undefined) continue
    const found = apps.get(clientOf(app))
    if (!found) throw fail('validationFailed', `lessons must refer to existing apps: ${id} refers to ${app}`)
    if (found.is_public && passCode) throw fail('validationFailed', `passCode of ${id} must ${passCodeRefusal(app)}`)
    if (launchUri !== undefined && !found.uris.some((uri) => isLaunchOf(launchUri, uri)))
      throw fail('validationFailed', `launchUri of ${id} must be a redirect URI of ${app}, with or without a query`)
  }
}

/**
 * Throws if a quiz names questions that the organisation does not have. A published quiz must also be able to draw as
 * many as it promises, and its questions must not be archived; a draft can be saved before that.
 */
async function checkQuestions(tx: Tx, organisation: string, content: CourseContent, purpose: 'save' | 'publish') {
  const quizzes = lessonsIn(content).flatMap(({ id, quiz }) => (quiz ? { id, parts: quiz.parts } : []))
  if (quizzes.length === 0) return
  const keys = [...new Set(quizzes.flatMap(({ parts }) => parts.flatMap(({ questions = [] }) => questions)))]
  const tags = [...new Set(quizzes.flatMap(({ parts }) => parts.flatMap(({ tag }) => (tag ? tagKey(tag) : []))))]
  const known = new Map((await tx.all(store.findQuestions, { organisation, keys })).map((row) => [row.key, row]))
  const counts = new Map((await tx.all(store.countTags, { organisation, tags })).map((row) => [row.tag, row.questions]))
  for (const { id, parts } of quizzes)
    for (const { questions = [], tag, draw = 1 } of parts) {
      const unknown = questions.find((key) => !known.has(key))
      if (unknown !== undefined)
        throw fail(
          'validationFailed',
          `lessons must have questions of ${organisation} in the quiz ${id}: not ${unknown}`,
        )
      if (purpose === 'save') continue
      const archived = questions.find((key) => known.get(key)!.is_archived)
      if (archived !== undefined)
        throw fail('validationFailed', `lessons must have no archived questions in the quiz ${id}: remove ${archived}`)
      const found = tag === undefined ? draw : (counts.get(tagKey(tag)) ?? 0)
      if (found < draw)
        throw fail(
          'validationFailed',
          `lessons must draw at most ${found} questions with the tag ${tag} in the quiz ${id}`,
        )
    }
}
const tagKey = (tag: string): string => tag.trim().toLowerCase()

const audit = (tx: Tx, who: PersonCaller, action: AuditAction, detail: Record<string, string | number | null>) =>
  recordAudit(tx, who, { action, personId: who.personId, detail })
