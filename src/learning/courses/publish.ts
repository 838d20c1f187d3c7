import { makeClientId } from '../../apps/apps/apps.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Tx } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { checkFiles, checkPackages } from './checking.ts'
import { revealsId } from './guesses.ts'
import { canonicalCourse, contentText, filesOf, type LessonRow, lessonRows } from './rules.ts'
import { type CourseContent, kindOf } from './schema.ts'
import * as store from './store.ts'

/** Publishes the next version of a course. Existing classes stay on the version that they use. */
export async function publishVersion(
  tx: Tx,
  who: Caller,
  what: { courseId: number; organisation: string; content: CourseContent; environment: EnvironmentName },
): Promise<{ id: number; number: number }> {
  const { courseId: course, environment } = what
  const document = canonicalCourse(what.content)
  const content: CourseContent = JSON.parse(document)
  await checkFiles(tx, course, content)
  await checkPackages(tx, what.organisation, content)
  const version = (await tx.first(store.insertVersion, {
    course,
    name: content.name,
    description: content.description ?? '',
    profilePic: content.profilePic ?? null,
    coverPhoto: content.coverPhoto ?? null,
    public: content.public ?? false,
    document,
    now: who.at,
  }))!
  const rows = lessonRows(content)
  const objectives = content.objectives ?? []
  await tx.all(store.insertLessons, { course, keys: rows.map(({ key }) => key) })
  await tx.all(store.insertObjectives, { course, keys: objectives.map(({ id }) => id) })
  const known = await tx.all(store.findIds, { course })
  const ids = new Map(known.map(({ kind, key, id }) => [`${kind} ${key}`, id]))
  const idOf = (kind: 'lesson' | 'objective', key: string): number => {
    const id = ids.get(`${kind} ${key}`)
    if (id === undefined)
      throw revealsId(fail('conflict', `Another course already has a ${kind} ${key}; choose another id`))
    return id
  }
  const lessonId = (key: string) => idOf('lesson', key)
  const lessons = rows.map((row) => toRow(row, lessonId, environment))
  await tx.all(store.insertLessonVersions, { version: version.id, rows: JSON.stringify(lessons) })
  const linked = objectives.map(({ id, name, description = '', lessons }, i) => ({
    objective_id: idOf('objective', id),
    position: i + 1,
    name,
    description,
    lessons: lessons.map(lessonId),
  }))
  await tx.all(store.insertObjectiveVersions, { version: version.id, rows: JSON.stringify(linked) })
  await tx.all(store.setVersion, { course, version: version.id })
  return version
}

const toRow = (row: LessonRow, idOf: (key: string) => number, environment: EnvironmentName) => {
  const { lesson } = row
  return {
    lesson_id: idOf(row.key),
    position: row.position,
    parent_id: row.parent === null ? null : idOf(row.parent),
    name: lesson.name,
    description: lesson.description ?? '',
    profile_pic: lesson.profilePic ?? null,
    cover_photo: lesson.coverPhoto ?? null,
    media: lesson.media ?? null,
    kind: kindOf(lesson),
    content: contentText(lesson),
    files: filesOf(lesson),
    package: lesson.package ?? null,
    package_item: lesson.item ?? null,
    is_assessment: lesson.isAssessment || kindOf(lesson) === 'quiz',
    expected_minutes: lesson.expectedCompletionTime ?? null,
    instructor_graded: lesson.instructorGraded || kindOf(lesson) === 'instructor-led',
    is_public: lesson.public ?? false,
    client_id: lesson.app === undefined ? null : makeClientId(environment, lesson.app),
    launch_uri: lesson.launchUri ?? null,
    launch_parameters: lesson.launchParameters ?? [],
    passes_code: lesson.passCode ?? false,
    threshold: lesson.threshold ?? null,
    max_attempts: lesson.maxAttempts ?? null,
    prerequisites: row.prerequisites.map(idOf),
  }
}
