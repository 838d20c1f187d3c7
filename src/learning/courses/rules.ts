import { findLaunchMistake, findReservedName } from '../../apps/apps/redirect-uris.ts'
import { type CourseContent, type LessonContent, type LessonKind, lessonsIn, MAX_LESSONS } from './schema.ts'

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

/** Finds mistakes in a course that the schema cannot express. */
export function* findCourseMistakes(course: CourseContent): Generator<{ where: string; must: string }> {
  const all = lessonsIn(course)
  const ids = all.map(({ id }) => id)
  const isTwice = (list: readonly string[], id: string, i: number) => list.indexOf(id) !== i
  for (const [i, id] of ids.entries())
    if (isTwice(ids, id, i)) yield { where: 'lessons', must: `have unique ids: ${id} appears twice` }
  const objectives = (course.objectives ?? []).map(({ id }) => id)
  if (all.length > MAX_LESSONS) yield { where: 'lessons', must: `be at most ${MAX_LESSONS}, with their child lessons` }
  for (const lesson of all) {
    for (const id of lesson.prerequisites ?? [])
      if (!ids.includes(id) || id === lesson.id)
        yield {
          where: 'lessons',
          must: `have only other lessons of the course as prerequisites of ${lesson.id}, not ${id}`,
        }
    if (lesson.launchUri !== undefined && lesson.app === undefined)
      yield { where: 'lessons', must: `set the app that ${lesson.launchUri} of ${lesson.id} belongs to` }
    if (lesson.passCode && lesson.launchUri === undefined)
      yield { where: 'lessons', must: `give ${lesson.id} a launchUri, because it passes a code` }
    yield* findKindMistakes(lesson, objectives)
    const wrong = findAddressMistake(lesson)
    if (wrong) yield { where: 'lessons', must: `have valid URLs: ${wrong}` }
  }
  const mistake = findDeadlock(lessonRows(course))
  if (mistake) yield { where: 'lessons', must: mistake }
  for (const [i, objective] of (course.objectives ?? []).entries()) {
    if (isTwice(objectives, objective.id, i))
      yield { where: 'objectives', must: `have unique ids: ${objective.id} appears twice` }
    for (const id of objective.lessons)
      if (!ids.includes(id))
        yield { where: 'objectives', must: `refer only to lessons of the course: ${objective.id} refers to ${id}` }
  }
}

/** The content that each kind of lesson must have, and those that it can have. */
const CONTENT: Readonly<Record<LessonKind, { needs?: ContentField; takes: readonly ContentField[] }>> = {
  activity: { takes: [] },
  app: { needs: 'app', takes: ['app', 'launchUri', 'launchParameters', 'passCode'] },
  'instructor-led': { takes: ['rubric'] },
  page: { needs: 'text', takes: ['text'] },
  file: { needs: 'file', takes: ['file'] },
  quiz: { needs: 'quiz', takes: ['quiz'] },
}
const CONTENT_FIELDS = ['app', 'launchUri', 'launchParameters', 'passCode', 'text', 'file', 'rubric', 'quiz'] as const
type ContentField = (typeof CONTENT_FIELDS)[number]

/** The most questions of an attempt at a quiz. */
const MAX_QUIZ = 500

/** Finds content that is missing, or that belongs to another kind of lesson. */
function* findKindMistakes(lesson: LessonContent, objectives: readonly string[]) {
  const { id, rubric = [], quiz } = lesson
  if (lesson.kind !== undefined) {
    const { needs, takes } = CONTENT[lesson.kind]
    if (needs && !isSet(lesson[needs]))
      yield { where: 'lessons', must: `set ${needs} of ${id}: it is a ${lesson.kind} lesson` }
    for (const field of CONTENT_FIELDS)
      if (isSet(lesson[field]) && !takes.includes(field))
        yield {
          where: 'lessons',
          must: `not set ${field} of ${id}: it is for other kinds of lessons, not for ${lesson.kind}`,
        }
  } else if (
    lesson.text !== undefined ||
    lesson.file !== undefined ||
    lesson.rubric !== undefined ||
    quiz !== undefined
  )
    yield { where: 'lessons', must: `set kind of ${id}, because it has content` }
  const criteria = rubric.map((one) => one.id)
  for (const [i, { id: criterion, objective }] of rubric.entries()) {
    if (criteria.indexOf(criterion) !== i)
      yield { where: 'lessons', must: `have unique ids in the rubric of ${id}: ${criterion} appears twice` }
    if (objective !== undefined && !objectives.includes(objective))
      yield {
        where: 'lessons',
        must: `refer only to objectives of the course in the rubric of ${id}, not ${objective}`,
      }
  }
  const most = (quiz?.parts ?? []).reduce((sum, { questions = [], draw }) => sum + (draw ?? questions.length), 0)
  if (most > MAX_QUIZ) yield { where: 'lessons', must: `have at most ${MAX_QUIZ} questions in the quiz of ${id}` }
  if (quiz && (lesson.threshold ?? 0) > 100)
    yield {
      where: 'lessons',
      must: `have a passing score of at most 100 in ${id}, because a quiz is scored in percent`,
    }
  for (const { questions = [], tag, draw } of quiz?.parts ?? [])
    if (tag === undefined ? questions.length === 0 : questions.length > 0)
      yield { where: 'lessons', must: `have either questions or a tag in each part of the quiz of ${id}` }
    else if (tag === undefined && draw !== undefined && draw > questions.length)
      yield { where: 'lessons', must: `not draw more questions than a part of the quiz of ${id} has` }
}

const isSet = (value: unknown): boolean =>
  value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)

/** Returns the content that is stored with a lesson besides its columns, as JSON; null if it has none. */
export function contentText({ text, file, rubric, quiz }: LessonContent): string | null {
  const content = JSON.stringify({ text, file, rubric, quiz })
  return content === '{}' ? null : content
}

/** Lists the uploaded files that a lesson uses: its file, and those that its text links to. */
export const filesOf = ({ text = '', file }: LessonContent): string[] => [
  ...new Set([
    ...(file === undefined ? [] : [file]),
    ...[...text.matchAll(/\(file:([A-Za-z0-9_-]{1,64})/g)].map(([, id]) => id!),
  ]),
]

/** Explains why `passCode` must be false for a public client. */
export const passCodeRefusal = (app: string): string =>
  `be false: ${app} is a public client, and has no secret to redeem a code with`

/** The names, in lower case, of the parameters that the platform adds to every launch URL. */
const OWN_NAMES = ['lessonid', 'classid', 'courseid', 'studentid']

/** Finds a reason why a lesson can never be launched, whatever redirect URIs its app has. */
function findAddressMistake({ id, launchUri, launchParameters = [] }: LessonContent): string | undefined {
  const wrong = launchUri === undefined ? undefined : findLaunchMistake(launchUri)
  if (wrong) return `launchUri of ${id} must ${wrong}`
  const names = launchParameters.map((text) => text.slice(0, text.indexOf('=')))
  const reserved =
    names.find((name) => !name.isWellFormed() || findReservedName(`?${encodeURIComponent(name)}`)) ??
    [...names, ...new URLSearchParams(launchUri?.split('?', 2)[1]).keys()].find((name) =>
      OWN_NAMES.includes(name.trim().toLowerCase()),
    )
  return reserved && `${id} must not have ${reserved} in its query: the platform sets it`
}

/**
 * Finds lessons that nobody could ever pass, because their prerequisites form a cycle or contradict the order of a
 * sequential class.
 */
function findDeadlock(rows: readonly LessonRow[]): string | undefined {
  const circle = findCircle(rows, ({ prerequisites }) => prerequisites)
  if (circle) return `not be prerequisites of each other: ${circle.join(' → ')}`
  const inOrder = findCircle(rows, ({ prerequisites, earlier }) => [...prerequisites, ...earlier])
  if (!inOrder) return undefined
  const keys = rows.map(({ key }) => key)
  const isLate = (key: string, next: string) =>
    keys.indexOf(next) > keys.indexOf(key) && rows.find((row) => row.key === next)?.parent !== key
  const i = inOrder.findIndex((key, i) => i > 0 && isLate(inOrder[i - 1]!, key))
  return i < 0
    ? `not depend on each other if a class is sequential: ${inOrder.join(' → ')}`
    : `come after their prerequisites: ${inOrder[i]} must come before ${inOrder[i - 1]}`
}

/** Finds a cycle of lessons in which each lesson requires the next. */
function findCircle(rows: readonly LessonRow[], needsOf: (row: LessonRow) => readonly string[]): string[] | undefined {
  const needs = new Map(rows.map((row) => [row.key, needsOf(row)]))
  const done = new Set<string>()
  const visit = (key: string, path: readonly string[]): string[] | undefined => {
    if (done.has(key)) return undefined
    if (path.includes(key)) return [...path.slice(path.indexOf(key)), key]
    const here = [...path, key]
    for (const next of needs.get(key) ?? []) {
      const circle = visit(next, here)
      if (circle) return circle
    }
    done.add(key)
    return undefined
  }
  for (const { key } of rows) {
    const circle = visit(key, [])
    if (circle) return circle
  }
  return undefined
}

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
  rubric: lesson.rubric?.length ? lesson.rubric : undefined,
  quiz: lesson.quiz,
})
