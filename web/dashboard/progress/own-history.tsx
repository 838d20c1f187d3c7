import { useState } from 'react'
import type { Results } from '../../api/operations.ts'
import { Problem } from '../../parts/states.tsx'
import { NotesCard } from './notes-card.tsx'
import { StudentTimeline } from './timeline.tsx'
import type { Span } from './timeline-model.ts'
import { useTimeline } from './use-timeline.ts'

interface OwnHistoryProps {
  readonly classId: string
  readonly studentId: string
  readonly lessons: Results['lessons']
  readonly mayWrite: boolean
}

/** Shows a student's own notes and timeline. */
export function OwnHistory({ classId, studentId, lessons, mayWrite }: OwnHistoryProps) {
  const timeline = useTimeline(classId, studentId)
  const [span, setSpan] = useState<Span>()
  if (timeline.error) return <Problem error={timeline.error} onRetry={() => void timeline.refetch()} />
  if (!timeline.data) return null
  const notes = (
    <NotesCard entries={timeline.data} lessons={lessons} studentId={studentId} mayWrite={mayWrite} mayRemove={false} />
  )
  // Before the first attempt, the timeline would be empty.
  if (timeline.data.length === 0) return notes
  return (
    <StudentTimeline
      entries={timeline.data}
      lessons={lessons}
      span={span}
      onSpan={setSpan}
      onMore={timeline.hasNextPage ? () => void timeline.fetchNextPage() : undefined}
      isMoreComing={timeline.isFetchingNextPage}
    >
      {notes}
    </StudentTimeline>
  )
}
