import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiProblem } from '../../api/call.ts'
import { saveQuizAnswer } from '../../api/operations.ts'

const RETRY_MS = 4000
const TIMEOUT_MS = 20_000
/** Pause in typing after which an answer is saved. */
const REST_MS = 700

type SaveState = 'saved' | 'saving' | 'waiting'

/**
 * Saves answers one after the other. Of several changes of one answer, only the last is sent. If the platform cannot be
 * reached, it tries again; an answer that is refused is dropped, and `error` says why. Saves have no idempotency key:
 * with one, an answer that is chosen again after another one would only repeat an old response.
 */
export function useAutosave(lessonResultId: string) {
  const [error, setError] = useState<Error>()
  const [state, setState] = useState<SaveState>('saved')
  const pending = useRef(new Map<string, unknown>())
  const running = useRef<Promise<void>>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const again = useRef<() => Promise<void>>(async () => {})

  const sendAll = useCallback(async (): Promise<void> => {
    for (;;) {
      const [first] = pending.current
      if (!first) return setState('saved')
      const [questionId, response] = first
      setState('saving')
      try {
        await saveQuizAnswer({ lessonResultId, questionId, response }, { timeoutMs: TIMEOUT_MS })
        if (pending.current.get(questionId) === response) pending.current.delete(questionId)
      } catch (problem) {
        if (problem instanceof ApiProblem && problem.isUnanswered) {
          setState('waiting')
          timer.current = setTimeout(() => void again.current(), RETRY_MS)
          return
        }
        pending.current.delete(questionId)
        setError(problem as Error)
      }
    }
  }, [lessonResultId])

  /** Sends what is pending now. Resolves when all of it was sent, or when the platform cannot be reached. */
  const flush = useCallback((): Promise<void> => {
    clearTimeout(timer.current)
    running.current ??= sendAll().finally(() => {
      running.current = undefined
    })
    return running.current
  }, [sendAll])

  again.current = flush

  const save = useCallback(
    (questionId: string, response: unknown, isTyped: boolean) => {
      pending.current.delete(questionId)
      pending.current.set(questionId, response)
      setState('saving')
      setError(undefined)
      clearTimeout(timer.current)
      if (isTyped) timer.current = setTimeout(() => void flush(), REST_MS)
      else void flush()
    },
    [flush],
  )
  useEffect(() => () => void flush(), [flush])
  return { save, flush, state, error, hasUnsaved: () => pending.current.size > 0 }
}
