import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { readTimeline } from '../../api/operations.ts'
import { toHappened } from './timeline-model.ts'

const LIMIT = 200
/** So many pages come by themselves; more when somebody asks. */
const UNASKED = 5

/** Everything that happened to a student, the newest first. */
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
