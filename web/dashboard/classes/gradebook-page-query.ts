import { readGradebook } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { only } from '../../parts/search.ts'

/** Maximum number of rows per response. */
export const ROWS_PER_PAGE = 100

/** The columns by which the gradebook can be sorted. */
export const GRADEBOOK_COLUMNS = ['name', 'result', 'passed', 'mean'] as const
type GradebookColumn = (typeof GRADEBOOK_COLUMNS)[number]
type GradebookOrder = GradebookColumn | `-${GradebookColumn}`

export const GRADEBOOK_STATES = [
  'waiting',
  'failed',
  'incomplete',
  'in progress',
  'passed',
  'not started',
  'late',
  'overdue',
] as const
export type ReadGradebookState = (typeof GRADEBOOK_STATES)[number]

/** Which students the gradebook shows, and in which order. It is part of the URL. */
export interface GradebookView {
  /** Shows only students whose names contain these words. */
  readonly search?: string
  readonly sort?: GradebookOrder
  /** Id of the lesson whose results the students are sorted by. */
  readonly lesson?: string
  /** Shows only students with a lesson in this state. */
  readonly state?: ReadGradebookState
  /** Id of the lesson that has to be in that state; any lesson by default. */
  readonly in?: string
}

/** Returns the query for one page of the gradebook. */
export const gradebookPage = (
  classId: string,
  { search, sort, lesson, state, in: stateLessonId }: GradebookView,
  page: number,
) =>
  query(readGradebook, {
    classId,
    ...only({ search, sort, lessonId: lesson, state, stateLessonId: state && stateLessonId }),
    limit: ROWS_PER_PAGE,
    page,
  })
