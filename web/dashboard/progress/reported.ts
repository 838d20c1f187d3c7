import type { LessonProgressHistory, LessonProgressPage, ReportedProgress } from '../../api/operations.ts'
import { dashboardWords } from '../words.ts'

const { reported: say } = dashboardWords

type Reported = Pick<ReportedProgress['reported'], 'via' | 'app' | 'byName' | 'afterTheFact' | 'beforeEnrolment'>

/** Says how an attempt was reported; undefined if that was not recorded. */
export function sayReported({ via, app, byName, afterTheFact, beforeEnrolment }: Reported): string | undefined {
  const how = via === null ? undefined : HOW[via](via === 'app' ? app : byName)
  // The marks need not be repeated for an import, which always brings what happened earlier.
  const marks = via === 'import' ? [] : [afterTheFact && say.later, beforeEnrolment && say.early]
  return [how, ...marks].filter(Boolean).join(' · ') || undefined
}

const HOW: Record<NonNullable<Reported['via']>, (name: string | null) => string> = {
  app: (name) => say.app(name ?? say.anApp),
  page: () => say.page,
  import: () => say.import,
  instructor: (name) => say.instructor(name ?? say.anInstructor),
}

/** Narrows the answer to a request that asked for a page. */
export const pageIn = (history: LessonProgressHistory): LessonProgressPage => history as LessonProgressPage
