import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type QuizAttempt, type QuizQuestion, readQuizAttempt } from '../../api/operations.ts'
import { makeKey, query } from '../../api/query.ts'

export interface LoadedAttempt {
  readonly attempt: QuizAttempt
  /** All questions, also those that did not fit into the first response. */
  readonly questions: readonly QuizQuestion[]
}

/**
 * Reads an attempt at a quiz with all its questions, once per visit: the answers on the page are newer than those of a
 * repeated read, and another visit needs the saved answers and the time left, however soon it comes.
 */
export function useAttempt(lessonResultId: string | null) {
  const [visit] = useState(makeKey)
  const { queryKey, queryFn: _, ...options } = query(readQuizAttempt, { lessonResultId: lessonResultId ?? '' })
  return useQuery<LoadedAttempt>({
    ...(options as object),
    queryKey: [...queryKey, 'all', visit],
    enabled: lessonResultId !== null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const attempt = await readQuizAttempt({ lessonResultId: lessonResultId! }, { signal })
      const questions = [...attempt.questions]
      while (questions.length < attempt.total) {
        const next = await readQuizAttempt({ lessonResultId: lessonResultId!, from: questions.length + 1 }, { signal })
        if (next.questions.length === 0) break
        questions.push(...next.questions)
      }
      return { attempt, questions }
    },
  })
}
