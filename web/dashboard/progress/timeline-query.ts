import { infiniteQueryOptions } from '@tanstack/react-query'
import { readTimeline } from '../../api/operations.ts'

export const TIMELINE_LIMIT = 200

/** Reads the timeline of a student page by page, newest entries first. */
export const timelineQuery = (classId: string, studentId: string) =>
  infiniteQueryOptions({
    queryKey: [readTimeline.operationName, { classId, studentId }],
    queryFn: ({ pageParam, signal }) =>
      readTimeline(
        { classId, studentId, limit: TIMELINE_LIMIT, ...(pageParam !== null && { before: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  })
