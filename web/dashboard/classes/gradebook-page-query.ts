import { readGradebook } from '../../api/operations.ts'
import { query } from '../../api/query.ts'

/** Maximum number of rows per response. */
export const ROWS_PER_PAGE = 100

/**
 * Returns the query for one page of the gradebook. If `search` is given, only students whose names contain it are
 * included.
 */
export const gradebookPage = (classId: string, search: string | undefined, page: number) =>
  query(readGradebook, { classId, ...(search !== undefined && { search }), limit: ROWS_PER_PAGE, page })
