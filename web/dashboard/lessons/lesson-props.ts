import type { LessonDetails, Results } from '../../api/operations.ts'

/** Props of the components that show a lesson of one kind. */
export interface LessonProps {
  readonly lesson: LessonDetails
  /** The class; undefined in the preview, which records nothing. */
  readonly classId?: string
  /** The student's result; undefined in the preview, and for staff. */
  readonly result?: Results['lessons'][number] | undefined
}
