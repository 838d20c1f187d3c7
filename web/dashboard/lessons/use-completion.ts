import { useEffect, useRef } from 'react'
import { readResults, startLesson, updateProgress } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import type { LessonProps } from './lesson-props.ts'

/** The state of a student’s attempt at a page or file, and the functions that change it. */
export interface Completion {
  /** `none`: nothing is recorded, because this is a preview, or no attempt is left. */
  readonly state: 'none' | 'open' | 'done'
  readonly isPending: boolean
  readonly error: Error | null
  readonly complete: () => void
}

/** Starts an attempt when the lesson is opened, and completes it once. A lesson that is passed is not started again. */
export function useCompletion({ lesson: { lessonId }, classId, result }: LessonProps): Completion {
  const start = useWrite(startLesson, { changes: [readResults] })
  const finish = useWrite(updateProgress, { changes: [readResults] })
  const hasStarted = useRef(false)
  const isOpen = result?.result === 'IN PROGRESS'
  const mayStart =
    classId !== undefined && result !== undefined && result.result !== 'PASS' && result.attemptsLeft !== 0
  useEffect(() => {
    if (!mayStart || isOpen || hasStarted.current) return
    hasStarted.current = true
    start.mutate({ lessonId, classId })
  }, [mayStart, isOpen, start, lessonId, classId])
  const canFinish = isOpen && classId !== undefined && !finish.isPending && !finish.isSuccess
  return {
    state: result?.result === 'PASS' ? 'done' : mayStart || isOpen ? 'open' : 'none',
    isPending: finish.isPending || (mayStart && !isOpen && !start.isError),
    error: start.error ?? finish.error,
    complete: () => {
      if (canFinish) finish.mutate({ lessonId, classId, complete: true })
      // The attempt could not be started before; try again.
      else if (start.isError && classId !== undefined) start.mutate({ lessonId, classId })
    },
  }
}
