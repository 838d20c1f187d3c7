import { Badge } from '@mantine/core'
import type { Results } from '../../api/operations.ts'
import { Clock, TriangleAlert } from '../../parts/icons.tsx'
import { sayMoment } from '../../parts/time.tsx'
import { dateWords as say } from './words.ts'

type LessonResult = Results['lessons'][number]

/** Says that a lesson is late or overdue, with an icon and a word. */
export function LateBadge({ late, overdue = false }: { readonly late: boolean; readonly overdue?: boolean }) {
  if (overdue)
    return (
      <Badge color="red" leftSection={<TriangleAlert size={13} aria-hidden />}>
        {say.overdue}
      </Badge>
    )
  return late ? (
    <Badge color="yellow" leftSection={<Clock size={13} aria-hidden />}>
      {say.late}
    </Badge>
  ) : null
}

/** Says when a lesson opens, is due and closes, in the reader's time zone. Dates that no longer matter are left out. */
export function sayDates({ opens, due, closes, passed }: LessonResult): string[] {
  const now = Date.now()
  const isPast = (at: string) => Date.parse(at) <= now
  return [
    ...(opens !== null && !isPast(opens) ? [say.opensAt(sayMoment(opens))] : []),
    ...(due !== null ? [say.dueAt(sayMoment(due))] : []),
    ...(closes !== null && !passed ? [(isPast(closes) ? say.closedAt : say.closesAt)(sayMoment(closes))] : []),
  ]
}

/** Why a lesson is locked. Dates are in the reader's time zone, not in the organisation's. */
export function sayLock({ lockedBy, lockReason, opens, closes }: LessonResult): string | null {
  if (lockedBy === 'opening' && opens !== null) return say.opensAt(sayMoment(opens))
  if (lockedBy === 'closing' && closes !== null) return say.closedAt(sayMoment(closes))
  return lockReason
}
