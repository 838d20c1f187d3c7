import type { PersonCaller } from '../../kernel/caller.ts'
import type { Tx } from '../../kernel/database/database.ts'
import { announceEvents } from '../../kernel/events/events.ts'
import type { LessonContext } from './authorize.ts'
import { notBefore, reportAttempt, update } from './progress.ts'
import { moveTo } from './rules.ts'
import * as store from './store.ts'

interface Evaluated {
  readonly pass: boolean
  readonly score: number | null
  readonly startTime: Date
  readonly endTime: Date
}

/**
 * Records the attempt that an evaluation is about: a whole attempt, or the end of the one that is open. The context
 * comes from `authorizeLesson`. Returns the id of the attempt; undefined if another request has changed something since
 * the context was read, so that the caller must try again.
 */
export async function recordEvaluated(
  tx: Tx,
  who: PersonCaller,
  context: LessonContext,
  { pass, score, startTime, endTime }: Evaluated,
): Promise<number | undefined> {
  const open = context.attempt
  const by = { ...who, appId: undefined }
  if (!open || open.state === 'completed') {
    const report = { pass, score: score ?? undefined, answers: undefined, startTime, endTime }
    return (await reportAttempt(tx, by, context, report))?.id
  }
  const ended = { ...open, ...moveTo(open, 'completed', notBefore(open, endTime)), pass, score, answers: null }
  const graded = { ...ended, gradedAt: who.at, gradedBy: who.personId }
  return (await update(tx, by, context, graded, 'attempt.completed'))?.id
}

/** Sets the scores of objectives that follow from an evaluation. Those that do not teach the lesson are left out. */
export async function scoreEvaluated(
  tx: Tx,
  who: PersonCaller,
  { enrolmentId, lessonId }: LessonContext,
  attempt: number,
  scores: readonly { readonly objective: string; readonly score: number }[],
): Promise<void> {
  for (const { objective, score } of scores)
    await tx.first(store.setObjectiveScore, {
      enrolment: enrolmentId,
      lesson: lessonId,
      objective,
      attempt,
      score,
      person: who.personId,
      isOwn: false,
      app: null,
      now: who.at,
    })
  if (scores.length > 0) announceEvents(tx)
}
