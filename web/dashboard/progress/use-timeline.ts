import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readTimeline } from '../../api/operations.ts'
import { toHappened } from './timeline-model.ts'

const LIMIT = 200
/** Number of pages that are loaded automatically; further pages are loaded on demand. */
const UNASKED = 5

/** Loads the timeline of a student, newest entries first. */
export function useTimeline(classId: string, studentId: string) {
  const found = useInfiniteQuery({
    queryKey: [readTimeline.operationName, { classId, studentId }],
    queryFn: ({ pageParam, signal }) =>
      readTimeline({ classId, studentId, limit: LIMIT, ...(pageParam !== null && { before: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => toHappened(pages.flatMap(({ docs }) => docs)),
  })
  const { data, hasNextPage, isFetching, fetchNextPage } = found
  useEffect(() => {
    if (hasNextPage && !isFetching && (data?.length ?? 0) < LIMIT * UNASKED) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage, data])
  return found
}
