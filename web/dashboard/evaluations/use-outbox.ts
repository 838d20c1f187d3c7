import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiProblem } from '../../api/call.ts'
import {
  listAttempts,
  listEvaluations,
  readGradebook,
  readGradebookAverages,
  readResults,
  readTimeline,
  recordEvaluations,
} from '../../api/operations.ts'
import { notify } from '../../parts/notify.tsx'
import type { EvaluationValues } from './evaluation-model.ts'
import { type Outbox, readOutbox, type Waiting, writeOutbox } from './outbox.ts'
import { evaluationWords as say } from './words.ts'

/** Reads whose cached results an evaluation makes stale. */
export const EVALUATION_READS = [
  listEvaluations,
  listAttempts,
  readGradebook,
  readGradebookAverages,
  readResults,
  readTimeline,
]

/** How often to try again while the browser believes that it is online. */
const RETRY_MS = 20_000
/** As many as a request may have. */
const MOST = 100

/**
 * Keeps forms and evaluations of one lesson on the device, and sends them: when they are saved, when the connection
 * returns, and at the next visit. The ids make it safe to send one twice.
 */
export function useOutbox(person: string, classId: string, lessonId: string) {
  const client = useQueryClient()
  const [outbox, setOutbox] = useState<Outbox>(() => readOutbox({ person, classId, lessonId }))
  const [problem, setProblem] = useState<Error>()
  const isSending = useRef(false)
  const latest = useRef(outbox)

  const change = useCallback(
    (next: (before: Outbox) => Outbox) => {
      latest.current = next(latest.current)
      writeOutbox({ person, classId, lessonId }, latest.current)
      setOutbox(latest.current)
    },
    [person, classId, lessonId],
  )

  const send = useCallback(async () => {
    const batch = latest.current.waiting.filter(({ error }) => error === undefined).slice(0, MOST)
    if (isSending.current || batch.length === 0) return
    isSending.current = true
    try {
      const { evaluations } = await recordEvaluations({
        classId,
        lessonId,
        evaluations: batch.map(({ name: _name, error: _error, ...input }) => input),
      })
      setProblem(undefined)
      const errors = new Map(evaluations.map(({ evaluationId, error }) => [evaluationId, error]))
      change(({ drafts, waiting }) => ({
        drafts,
        waiting: waiting.flatMap((one) => {
          const error = errors.get(one.evaluationId)
          return error === undefined ? [one] : error === null ? [] : [{ ...one, error }]
        }),
      }))
      const recorded = batch.filter(({ evaluationId }) => errors.get(evaluationId) === null)
      const [only] = recorded
      if (only) notify(recorded.length === 1 ? say.recorded(only.name) : say.recordedAll(recorded.length))
      await Promise.all(
        EVALUATION_READS.map(({ operationName }) => client.invalidateQueries({ queryKey: [operationName] })),
      )
    } catch (error) {
      // Without an answer everything stays as it is, and is sent again later.
      setProblem(error instanceof ApiProblem && error.isUnanswered ? undefined : (error as Error))
    } finally {
      isSending.current = false
    }
  }, [change, classId, client, lessonId])

  useEffect(() => {
    void send()
    const again = () => void send()
    const timer = setInterval(() => navigator.onLine && again(), RETRY_MS)
    addEventListener('online', again)
    return () => {
      clearInterval(timer)
      removeEventListener('online', again)
    }
  }, [send])

  return {
    outbox,
    problem,
    send,
    keepDraft: (student: string, values: EvaluationValues) =>
      change(({ drafts, waiting }) => ({ drafts: { ...drafts, [student]: values }, waiting })),
    dropDraft: (student: string) => change(({ drafts, waiting }) => ({ drafts: without(drafts, [student]), waiting })),
    /** Puts evaluations into the outbox, removes their drafts, and tries to send them. */
    post: (students: readonly string[], evaluations: readonly Waiting[]) => {
      change(({ drafts, waiting }) => ({ drafts: without(drafts, students), waiting: [...waiting, ...evaluations] }))
      void send()
    },
    /** Takes an evaluation out that the platform has refused. Its values become a draft again, if they are given. */
    takeBack: ({ evaluationId, studentId }: Waiting, values?: EvaluationValues) =>
      change(({ drafts, waiting }) => ({
        drafts: values ? { ...drafts, [studentId]: values } : drafts,
        waiting: waiting.filter((one) => one.evaluationId !== evaluationId),
      })),
  }
}

const without = (drafts: Outbox['drafts'], students: readonly string[]): Outbox['drafts'] =>
  Object.fromEntries(Object.entries(drafts).filter(([name]) => !students.includes(name)))
