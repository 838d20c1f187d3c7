import { ApiProblem } from '../../api/call.ts'
import type { CourseDocument } from '../../api/operations.ts'

/** Something that the author has to correct. */
export interface Mistake {
  /** Id of the lesson, step or objective; undefined for the course itself. */
  readonly id: string | undefined
  /** Name of what has to be corrected, for the author. */
  readonly name: string | undefined
  /** The field, such as `launchUri` or `launchParameters/1`. */
  readonly field: string
  readonly message: string
}

/** Lists the mistakes that the platform found in a course, with the lesson or objective to which each belongs. */
export function mistakesIn(error: Error | null, doc: CourseDocument): Mistake[] {
  if (!(error instanceof ApiProblem)) return []
  return error.faults.flatMap(({ pointer, message }) => {
    if (message === undefined) return []
    const [list, index, ...rest] = pointer.slice(1).split('/')
    const isStep = list === 'lessons' && rest[0] === 'childLessons'
    const lesson = list === 'lessons' ? doc.lessons[Number(index)] : undefined
    const found = list === 'objectives' ? doc.objectives?.[Number(index)] : lesson
    const part = isStep ? lesson?.childLessons?.[Number(rest[1])] : found
    return [{ id: part?.id, name: part?.name, field: (isStep ? rest.slice(2) : rest).join('/'), message }]
  })
}

/** Returns the mistakes of one lesson by field. A field with parts also has the first message of its parts. */
export function errorsOf(mistakes: readonly Mistake[], id: string): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {}
  for (const { id: of, field, message } of mistakes) {
    if (of !== id) continue
    errors[field] ??= message
    errors[field.split('/', 1)[0]!] ??= message
  }
  return errors
}
