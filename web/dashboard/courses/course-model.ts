import {
  type CourseDocument,
  listCourseVersions,
  listManagedCourses,
  previewLesson,
  readCourseDocument,
} from '../../api/operations.ts'
import type { Step } from './kinds/fields-props.ts'
import { makeId } from './kinds/make-id.ts'

/** Read operations whose cached results become stale when a course changes. */
export const COURSE_READS = [readCourseDocument, previewLesson, listCourseVersions, listManagedCourses]

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

export const allLessons = ({ lessons }: CourseDocument): Step[] =>
  lessons.flatMap((one) => [one, ...(one.childLessons ?? [])])

/** Moves an entry to the place before the entry that has the index `to` now. */
const moved = <T>(list: readonly T[], from: number, to: number): T[] => {
  const next = [...list]
  next.splice(to > from ? to - 1 : to, 0, ...next.splice(from, 1))
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

/**
 * Moves a lesson with its steps, or a step, to the place before the lesson or step that is at `to` now. A step can move
 * to another lesson.
 */
export function moveTo(doc: CourseDocument, from: LessonPosition, to: LessonPosition): CourseDocument {
  if (from.step === undefined) return { ...doc, lessons: moved(doc.lessons, from.lesson, to.lesson) }
  const { step, lesson } = from
  const place = to.step ?? 0
  if (lesson === to.lesson) return changeSteps(doc, lesson, (steps) => moved(steps, step, place))
  const one = doc.lessons[lesson]!.childLessons![step]!
  const without = changeSteps(doc, lesson, (steps) => steps.filter((_, i) => i !== step))
  return changeSteps(without, to.lesson, (steps) => steps.toSpliced(place, 0, one))
}

/** Returns the place to which a lesson or step moves by one; undefined at the beginning and at the end. */
export function neighbourOf(
  { lessons }: CourseDocument,
  { lesson, step }: LessonPosition,
  by: 1 | -1,
): LessonPosition | undefined {
  const target = lesson + by
  if (step === undefined) return lessons[target] && { lesson: by > 0 ? target + 1 : target }
  const count = lessons[lesson]!.childLessons!.length
  if (step + by >= 0 && step + by < count) return { lesson, step: by > 0 ? step + 2 : step - 1 }
  // At the edge of its lesson, a step moves to the lesson before or after it.
  return lessons[target] && { lesson: target, step: by > 0 ? 0 : (lessons[target].childLessons?.length ?? 0) }
}

export function findLesson({ lessons }: CourseDocument, id: string): LessonPosition | undefined {
  for (const [lesson, one] of lessons.entries()) {
    if (one.id === id) return { lesson }
    const step = one.childLessons?.findIndex((child) => child.id === id) ?? -1
    if (step >= 0) return { lesson, step }
  }
  return undefined
}

/** Inserts a copy of a lesson or step after it. Its new ids also replace those in the prerequisites within the copy. */
export function duplicateLesson(
  doc: CourseDocument,
  { lesson, step }: LessonPosition,
  nameCopy: (name: string) => string,
): { doc: CourseDocument; copy: Step } {
  const source = doc.lessons[lesson]!
  const originals = step === undefined ? [source, ...(source.childLessons ?? [])] : [source.childLessons![step]!]
  const ids = new Map(originals.map(({ id }) => [id, makeId('lesson')]))
  const renamed = <T extends Step>(one: T): T => ({
    ...one,
    id: ids.get(one.id)!,
    ...(one.prerequisites && { prerequisites: one.prerequisites.map((id) => ids.get(id) ?? id) }),
  })
  if (step !== undefined) {
    const copy = { ...renamed(originals[0]!), name: nameCopy(originals[0]!.name) }
    return { doc: changeSteps(doc, lesson, (steps) => steps.toSpliced(step + 1, 0, copy)), copy }
  }
  const copy: Lesson = {
    ...renamed(source),
    name: nameCopy(source.name),
    ...(source.childLessons && { childLessons: source.childLessons.map(renamed) }),
  }
  return { doc: { ...doc, lessons: doc.lessons.toSpliced(lesson + 1, 0, copy) }, copy }
}

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
