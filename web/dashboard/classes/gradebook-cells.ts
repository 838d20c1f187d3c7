import type { Gradebook } from '../../api/operations.ts'

type Row = Gradebook['docs'][number]

export interface GradebookCell {
  readonly result: Row['results'][number]
  readonly score: number | null
  readonly attempts: number
  /** In seconds. */
  readonly timeOnTask: number
  /** Whether the latest attempt waits for a grade. */
  readonly isWaiting: boolean
  /** Whether the latest attempt was completed after the due date. */
  readonly isLate: boolean
  /** Whether the due date has passed and no attempt is completed. */
  readonly isOverdue: boolean
}

const NOT_STARTED: GradebookCell = {
  result: 'NOT STARTED',
  score: null,
  attempts: 0,
  timeOnTask: 0,
  isWaiting: false,
  isLate: false,
  isOverdue: false,
}

/** Returns a student's results in the order of the lessons. */
export function cellsOf(
  { started, results, scores, attempts, timeOnTask, waiting, late, overdue }: Row,
  lessons: Gradebook['lessons'],
) {
  const cells: GradebookCell[] = lessons.map((_, place) => ({ ...NOT_STARTED, isOverdue: overdue.includes(place) }))
  for (const [i, place] of started.entries())
    cells[place] = {
      result: results[i]!,
      score: scores[i]!,
      attempts: attempts[i]!,
      timeOnTask: timeOnTask[i]!,
      isWaiting: waiting.includes(place),
      isLate: late.includes(place),
      isOverdue: overdue.includes(place),
    }
  return cells
}
