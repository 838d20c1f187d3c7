import { readAuthored } from '../../apps/organisations/organisations.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readName } from '../../kernel/lines.ts'
import { createCourse, editedCourse, makeOwnId, readDocument, readOwnId } from './authoring.ts'
import { checkContent } from './checking.ts'
import { canonicalCourse, copyCourse, filesOf } from './rules.ts'
import { type CourseContent, type CourseDocument, type DuplicateCourse, lessonsIn } from './schema.ts'

const MAX_NAME = 200

/** Names a copy. */
export const nameCopy = (name: string): string => `Copy of ${name}`.slice(0, MAX_NAME).trim()

/**
 * Copies a course, as its authors see it, to a new draft. Its lessons and objectives get new ids, because progress is
 * recorded under them.
 */
export function duplicateCourse(
  db: Db,
  who: PersonCaller,
  what: DuplicateCourse,
  environment: EnvironmentName,
): Promise<CourseDocument> {
  return db.transaction(async (tx) => {
    const source = await editedCourse.read(tx, who, what.courseId)
    const target = await readAuthored(tx, who, what.organisation ?? source.organisation)
    const found: CourseContent = JSON.parse((source.draft ?? source.document)!)
    if (target.key !== source.organisation) refuseForeignContent(found)
    const content = copyCourse(found, what.name === undefined ? nameCopy(found.name) : readName(what.name), makeOwnId)
    const key = readOwnId('newCourseId', what.newCourseId)
    await checkContent(tx, { key, organisation: target.key, isFinal: false }, content, environment)
    await createCourse(tx, who, { key, organisation: target.id, draft: canonicalCourse(content) })
    const detail = { course: key, before: source.key, organisation: target.key }
    await recordAudit(tx, who, { action: 'course.duplicated', personId: who.personId, detail })
    return readDocument(tx, who, { courseId: key })
  })
}

/** Files, questions and packages belong to one organisation, so lessons that use them stay in it. */
function refuseForeignContent(course: CourseContent): void {
  const bound = lessonsIn(course).filter(
    (lesson) => lesson.quiz !== undefined || lesson.package !== undefined || filesOf(lesson).length > 0,
  )
  if (bound.length === 0) return
  const names = bound.slice(0, 5).map(({ name }) => name)
  throw fail(
    'impossibleNow',
    `The course uses files, questions or packages of its organisation, so it cannot be copied to another one: ${names.join(', ')}`,
  )
}
