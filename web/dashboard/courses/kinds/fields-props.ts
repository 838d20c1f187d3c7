import type { CourseDocument } from '../../../api/operations.ts'

/** A lesson without its steps, or a step. */
export type Step = NonNullable<CourseDocument['lessons'][number]['childLessons']>[number]

/** Props of the components that edit the content of a lesson of one kind. */
export interface KindFieldsProps {
  readonly course: CourseDocument
  readonly lesson: Step
  readonly onChange: (changes: Partial<Step>) => void
  /** Mistakes by field, to be shown beside it. */
  readonly errors: Readonly<Record<string, string>>
}
