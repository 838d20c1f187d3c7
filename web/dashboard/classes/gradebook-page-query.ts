import { readGradebook } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { only } from '../../parts/search.ts'

/** Maximum number of rows per response. */
export const ROWS_PER_PAGE = 100

/** Which students the gradebook shows, and in which order. It is part of the URL. */
export interface GradebookView {
  /** Shows only students whose names contain these words. */
  readonly search?: string
  readonly sort?: 'name' | '-name' | 'result' | '-result'
  /** Id of the lesson whose results the students are sorted by. */
  readonly lesson?: string
}

/** Returns the query for one page of the gradebook. */
export const gradebookPage = (classId: string, { search, sort, lesson }: GradebookView, page: number) =>
  query(readGradebook, { classId, ...only({ search, sort, lessonId: lesson }), limit: ROWS_PER_PAGE, page })
