import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { toHappened } from './timeline-model.ts'
import { TIMELINE_LIMIT, timelineQuery } from './timeline-query.ts'

/** Number of pages that are loaded automatically; further pages are loaded on demand. */
const UNASKED = 5

/** Loads the timeline of a student, newest entries first. */
export function useTimeline(classId: string, studentId: string) {
  const found = useInfiniteQuery({
    ...timelineQuery(classId, studentId),
    select: ({ pages }) => toHappened(pages.flatMap(({ docs }) => docs)),
  })
  const { data, hasNextPage, isFetching, fetchNextPage } = found
  useEffect(() => {
    if (hasNextPage && !isFetching && (data?.length ?? 0) < TIMELINE_LIMIT * UNASKED) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage, data])
  return found
}
