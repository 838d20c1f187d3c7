import { type CourseContent, type LessonContent, lessonsIn } from './schema.ts'

/**
 * A lesson of a course version, prepared as a database row. It still refers to lessons by the ids that the author
 * chose, instead of database ids.
 */
export interface LessonRow {
  readonly key: string
  readonly position: number
  readonly parent: string | null
  readonly lesson: LessonContent
  readonly prerequisites: readonly string[]
  readonly earlier: readonly string[]
}

/**
 * Converts the lessons of a course to rows. `prerequisites` are the lessons that the author names; `earlier` are the
 * preceding lessons, which must be passed first in sequential classes. A child lesson also requires the lessons that
 * its parent requires. Lessons after a parent do not require its children, because those are only steps of the parent.
 */
export function lessonRows({ lessons }: CourseContent): LessonRow[] {
  const before = (list: readonly LessonContent[], i: number) => list.slice(0, i).map(({ id }) => id)
  return lessons.flatMap((lesson, i) => {
    const children = lesson.childLessons ?? []
    const own = lesson.prerequisites ?? []
    const earlier = before(lessons, i)
    const row = { key: lesson.id, position: i + 1, parent: null, lesson, prerequisites: own, earlier }
    const isStep = (id: string) => children.some((child) => child.id === id)
    return [
      row,
      ...children.map((child, j) => ({
        key: child.id,
        position: j + 1,
        parent: lesson.id,
        lesson: child,
        // Do not inherit prerequisites that are children of the same parent: otherwise they would require each other.
        prerequisites: [...new Set([...own.filter((id) => !isStep(id)), ...(child.prerequisites ?? [])])],
        earlier: [...earlier, ...before(children, j)],
      })),
    ]
  })
}

/** Returns the content that is stored with a lesson besides its columns, as JSON; null if it has none. */
export function contentText(lesson: LessonContent): string | null {
  const { text, file, captions, rubric, quiz, package: packageId, item } = lesson
  const content = JSON.stringify({ text, file, captions, rubric, quiz, package: packageId, item })
  return content === '{}' ? null : content
}

/** Lists the uploaded files that a lesson uses: its file, and those that its text links to. */
export const filesOf = ({ text = '', file, captions }: Partial<LessonContent>): string[] => [
  ...new Set([
    ...[file, captions].filter((id) => id !== undefined),
    ...[...text.matchAll(/\(file:([A-Za-z0-9_-]{1,64})/g)].map(([, id]) => id!),
  ]),
]

/** An item of a package that a lesson shows. */
export interface UsedItem {
  readonly package: string
  readonly item: number
}

/** Lists the items of packages that the lessons of a course show. */
export const itemsOf = (course: CourseContent): UsedItem[] =>
  lessonsIn(course).flatMap(({ package: packageId, item }) =>
    packageId === undefined || item === undefined ? [] : [{ package: packageId, item }],
  )

/**
 * Converts a course to canonical JSON, so that equal content gives equal text. Properties have a fixed order, and
 * default values are left out.
 */
export function canonicalCourse(course: CourseContent): string {
  const { name, description, profilePic, coverPhoto, public: isPublic, lessons, objectives } = course
  return JSON.stringify({
    name,
    description: description || undefined,
    profilePic,
    coverPhoto,
    public: isPublic || undefined,
    lessons: lessons.map((lesson) => ({
      ...canonicalLesson(lesson),
      childLessons: lesson.childLessons?.length ? lesson.childLessons.map(canonicalLesson) : undefined,
    })),
    objectives: (objectives ?? []).map(({ id, name, description, lessons }) => ({
      id,
      name,
      description: description || undefined,
      lessons,
    })),
  })
}

const canonicalLesson = (lesson: LessonContent) => ({
  id: lesson.id,
  name: lesson.name,
  description: lesson.description || undefined,
  profilePic: lesson.profilePic,
  coverPhoto: lesson.coverPhoto,
  media: lesson.media,
  isAssessment: lesson.isAssessment || undefined,
  expectedCompletionTime: lesson.expectedCompletionTime,
  instructorGraded: lesson.instructorGraded || undefined,
  public: lesson.public || undefined,
  app: lesson.app?.replace(/^gs-(sbx-)?/, ''),
  launchUri: lesson.launchUri,
  launchParameters: lesson.launchParameters?.length ? lesson.launchParameters : undefined,
  passCode: lesson.passCode || undefined,
  threshold: lesson.threshold,
  maxAttempts: lesson.maxAttempts,
  prerequisites: lesson.prerequisites?.length ? lesson.prerequisites : undefined,
  kind: lesson.kind === (lesson.app === undefined ? 'activity' : 'app') ? undefined : lesson.kind,
  text: lesson.text,
  file: lesson.file,
  captions: lesson.captions,
  rubric: lesson.rubric?.length ? lesson.rubric : undefined,
  quiz: lesson.quiz,
  package: lesson.package,
  item: lesson.item,
})

/**
 * Copies a course with new ids for its lessons and objectives, and the references to them. Criteria and questions keep
 * their ids, which belong to the lesson and to the organisation.
 */
export function copyCourse(course: CourseContent, name: string, makeId: () => string): CourseContent {
  const renamed = new Map<string, string>()
  const toNew = (id: string): string => {
    if (!renamed.has(id)) renamed.set(id, makeId())
    return renamed.get(id)!
  }
  const objectiveIds = new Map((course.objectives ?? []).map(({ id }) => [id, makeId()]))
  const copy = (lesson: LessonContent): LessonContent => ({
    ...lesson,
    id: toNew(lesson.id),
    ...(lesson.prerequisites && { prerequisites: lesson.prerequisites.map(toNew) }),
    ...(lesson.rubric && {
      rubric: lesson.rubric.map(({ objective, ...criterion }) => ({
        ...criterion,
        ...(objective !== undefined && { objective: objectiveIds.get(objective) ?? objective }),
      })),
    }),
  })
  return {
    ...course,
    name,
    lessons: course.lessons.map((lesson) => ({
      ...copy(lesson),
      ...(lesson.childLessons && { childLessons: lesson.childLessons.map(copy) }),
    })),
    ...(course.objectives && {
      objectives: course.objectives.map((one) => ({
        ...one,
        id: objectiveIds.get(one.id)!,
        lessons: one.lessons.map(toNew),
      })),
    }),
  }
}
