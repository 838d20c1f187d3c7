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
}

const NOT_STARTED: GradebookCell = { result: 'NOT STARTED', score: null, attempts: 0, timeOnTask: 0, isWaiting: false }

/** Returns a student's results in the order of the lessons. */
export function cellsOf(
  { started, results, scores, attempts, timeOnTask, waiting }: Row,
  lessons: Gradebook['lessons'],
) {
  const cells: GradebookCell[] = lessons.map(() => NOT_STARTED)
  for (const [i, place] of started.entries())
    cells[place] = {
      result: results[i]!,
      score: scores[i]!,
      attempts: attempts[i]!,
      timeOnTask: timeOnTask[i]!,
      isWaiting: waiting.includes(place),
    }
  return cells
}
