import {
  type CourseDocument,
  listCourseVersions,
  listManagedCourses,
  readCourseDocument,
} from '../../api/operations.ts'
import type { Step } from './kinds/fields-props.ts'

/** Read operations whose cached results become stale when a course changes. */
export const COURSE_READS = [readCourseDocument, listCourseVersions, listManagedCourses]

type Lesson = CourseDocument['lessons'][number]
export type Objective = NonNullable<CourseDocument['objectives']>[number]

/** The position of a lesson: its index in the course. For a step, also the index of the step in the lesson. */
export interface LessonPosition {
  readonly lesson: number
  readonly step?: number
}

/** Props of the components that edit parts of a course. */
export interface PartProps {
  readonly doc: CourseDocument
  readonly onChange: (doc: CourseDocument) => void
}

/** Creates a default id. Authors may replace it with any other. */
export const makeId = (kind: string): string => `${kind}-${crypto.randomUUID().slice(0, 8)}`

export const allLessons = ({ lessons }: CourseDocument): Step[] =>
  lessons.flatMap((one) => [one, ...(one.childLessons ?? [])])

const moved = <T>(list: readonly T[], from: number, by: number): T[] => {
  const next = [...list]
  next.splice(from + by, 0, ...next.splice(from, 1))
  return next
}

function changeLesson(doc: CourseDocument, index: number, change: (lesson: Lesson) => Lesson): CourseDocument {
  return { ...doc, lessons: doc.lessons.map((one, i) => (i === index ? change(one) : one)) }
}
const changeSteps = (doc: CourseDocument, index: number, change: (steps: Step[]) => Step[]): CourseDocument =>
  changeLesson(doc, index, (one) => ({ ...one, childLessons: change(one.childLessons ?? []) }))

export const addLesson = (doc: CourseDocument, name: string): CourseDocument => ({
  ...doc,
  lessons: [...doc.lessons, { id: makeId('lesson'), name }],
})
export const addStep = (doc: CourseDocument, lesson: number, name: string): CourseDocument =>
  changeSteps(doc, lesson, (steps) => [...steps, { id: makeId('lesson'), name }])

export const moveLesson = (doc: CourseDocument, { lesson, step }: LessonPosition, by: number): CourseDocument =>
  step === undefined
    ? { ...doc, lessons: moved(doc.lessons, lesson, by) }
    : changeSteps(doc, lesson, (steps) => moved(steps, step, by))

export const setLesson = (doc: CourseDocument, { lesson, step }: LessonPosition, to: Step): CourseDocument =>
  step === undefined
    ? changeLesson(doc, lesson, (one) => ({ ...to, ...(one.childLessons && { childLessons: one.childLessons }) }))
    : changeSteps(doc, lesson, (steps) => steps.map((one, i) => (i === step ? to : one)))

/** Removes a lesson, and all references to it in prerequisites and objectives. */
export function removeLesson(doc: CourseDocument, { lesson, step }: LessonPosition): CourseDocument {
  const rest =
    step === undefined
      ? { ...doc, lessons: doc.lessons.filter((_, i) => i !== lesson) }
      : changeSteps(doc, lesson, (steps) => steps.filter((_, i) => i !== step))
  const left = new Set(allLessons(rest).map(({ id }) => id))
  const known = (ids: readonly string[]) => ids.filter((id) => left.has(id))
  const mend = <T extends Step>(one: T): T =>
    one.prerequisites ? { ...one, prerequisites: known(one.prerequisites) } : one
  return {
    ...rest,
    lessons: rest.lessons.map((one) => ({
      ...mend(one),
      ...(one.childLessons && { childLessons: one.childLessons.map(mend) }),
    })),
    ...(rest.objectives && {
      objectives: rest.objectives.map((one) => ({ ...one, lessons: known(one.lessons) })),
    }),
  }
}
