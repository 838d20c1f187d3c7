import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { findPackage, readObjectives, readOutline } from '../packages/outline.ts'
import { editedCourse, makeOwnId, readDocument } from './authoring.ts'
import { setDraft } from './authoring-store.ts'
import { checkContent } from './checking.ts'
import { appendLessons, type LessonPackage, replaceLessons } from './package-rules.ts'
import { canonicalCourse } from './rules.ts'
import {
  type AddCoursePackage,
  type CourseContent,
  type CourseDocument,
  lessonsIn,
  MAX_LESSONS,
  MAX_OBJECTIVES,
} from './schema.ts'

/**
 * Adds the lessons of a package to the draft of a course, or replaces a package that the draft uses by another one.
 * Published versions do not change, so students who have begun keep the package that they began with.
 */
export function addCoursePackage(
  db: Db,
  who: PersonCaller,
  { courseId, packageId, replaces }: AddCoursePackage,
  environment: EnvironmentName,
): Promise<CourseDocument> {
  return db.transaction(async (tx) => {
    const { id, key, organisation, draft, document } = await editedCourse.lock(tx, who, courseId)
    const course: CourseContent = JSON.parse((draft ?? document)!)
    const uses = (wanted: string) => lessonsIn(course).some((lesson) => lesson.package === wanted)
    if (uses(packageId))
      throw fail('impossibleNow', 'The course already has lessons of this package; remove them first, or change them')
    if (replaces !== undefined && !uses(replaces))
      throw fail('validationFailed', 'replaces must be a package of which the course has lessons')
    const added = await readLessonPackage(tx, organisation, 'packageId', packageId)
    const content =
      replaces === undefined
        ? appendLessons(course, added, makeOwnId)
        : replaceLessons(course, await readLessonPackage(tx, organisation, 'replaces', replaces), added, makeOwnId)
    refuseTooMany(content)
    await checkContent(tx, { key, organisation, isFinal: false }, content, environment)
    await tx.first(setDraft, { course: id, draft: canonicalCourse(content), now: who.at })
    await recordAudit(tx, who, { action: 'course.drafted', personId: who.personId, detail: { course: key } })
    return readDocument(tx, who, { courseId: key })
  })
}

async function readLessonPackage(tx: Tx, organisation: string, field: string, key: string): Promise<LessonPackage> {
  const found = await findPackage(tx, { organisation, key })
  if (!found) throw fail('validationFailed', `${field} must be a package of ${organisation}`)
  if (found.units > MAX_LESSONS)
    throw fail(
      'impossibleNow',
      `A course can have at most ${MAX_LESSONS} lessons and steps, but the package ${found.title} has ${found.units} units`,
    )
  return { key, items: await readOutline(tx, found), objectives: await readObjectives(tx, found) }
}

/** Throws if the course, with the lessons of the package, is too large. */
function refuseTooMany(course: CourseContent): void {
  const total = lessonsIn(course).length
  if (total > MAX_LESSONS)
    throw fail(
      'impossibleNow',
      `A course can have at most ${MAX_LESSONS} lessons and steps; with this package it would have ${total}`,
    )
  const objectives = course.objectives?.length ?? 0
  if (objectives > MAX_OBJECTIVES)
    throw fail(
      'impossibleNow',
      `A course can have at most ${MAX_OBJECTIVES} objectives; with this package it would have ${objectives}`,
    )
}
