import type { Member } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { presentAttempt, presentReport, toAttempt } from './attempt.ts'
import { authorizeLesson } from './authorize.ts'
import type { ListAttempts, ReportedProgress } from './schema.ts'
import * as store from './store.ts'

/** The number of attempts for clients that do not ask for a page. */
const MAX_UNPAGED = 100

/**
 * Lists attempts, newest first, and how each was reported. Answers are included only if one attempt is named. Old
 * clients send neither `page` nor `limit`, and get the newest attempts without the wrapper.
 */
export async function listAttempts(
  db: Db,
  who: Member,
  what: ListAttempts,
): Promise<ReportedProgress[] | Page<ReportedProgress>> {
  const context = await authorizeLesson(db, who, what, 'read')
  const isPaged = what.page !== undefined || what.limit !== undefined
  const rows = await db.all(store.listAttempts, {
    enrolment: context.enrolmentId,
    lesson: context.lessonId,
    attempt: what.lessonResultId ?? null,
    app: who.appId ?? null,
    ...spanOf(isPaged ? what : { limit: MAX_UNPAGED }),
  })
  const ids = { studentId: context.student, lessonId: what.lessonId }
  const docs = rows.map((row) => ({ ...presentAttempt(toAttempt(row), ids), ...presentReport(row) }))
  return isPaged ? pageOf(docs, rows[0]?.total ?? 0, what) : docs
}
