import { readGradebook } from '../../api/operations.ts'
import { query } from '../../api/query.ts'

/** The most rows that one answer has. */
export const ROWS_PER_PAGE = 100

/** One page of the gradebook, of students whose names contain `search`. */
export const gradebookPage = (classId: string, search: string | undefined, page: number) =>
  query(readGradebook, { classId, ...(search !== undefined && { search }), limit: ROWS_PER_PAGE, page })
