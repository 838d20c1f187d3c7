import { launchApp } from '../../apps/oauth/launch.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import type { TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { withQuery } from '../courses/launching.ts'
import { authorizeLesson } from './authorize.ts'
import { readLockReason } from './locks.ts'
import type { LaunchLesson } from './schema.ts'
import * as store from './store.ts'

/**
 * Makes the URL that opens a lesson in its app. Students can open lessons that are not locked. Instructors can open any
 * lesson of their class; the app then gets no student id.
 */
export async function launchLesson(
  db: Db,
  who: PersonCaller,
  what: LaunchLesson,
  policy: TokenPolicy,
): Promise<{ uri: string }> {
  const { lessonId: lesson, classId } = what
  const find = (enrolment: number | null) =>
    db.first(store.findLaunch, { enrolment, person: who.personId, class: classId ?? null, lesson })
  const found = (classId && (await find(null))) || (await find(await checkStudent(db, who, what)))!
  if (found.launch_uri === null)
    throw fail(
      'impossibleNow',
      found.client_id === null
        ? 'Your instructor will complete this lesson with you'
        : 'This lesson has no launch URL; open it in its app',
    )
  if (found.client_id === null)
    throw fail('impossibleNow', 'The app that delivered this lesson was deleted; contact your instructor')
  const launchUri = withQuery(found.launch_uri, found.launch_parameters, {
    lessonId: lesson,
    classId: found.class,
    courseId: found.course,
    ...(found.student === null ? {} : { studentId: found.student }),
  })
  const { client_id: clientId, passes_code: passesCode } = found
  return launchApp(db, who, { clientId, launchUri, passesCode, isAllowed: what.allow ?? false }, policy)
}

async function checkStudent(db: Db, who: PersonCaller, { lessonId, classId }: LaunchLesson): Promise<number> {
  const what = { lessonId, ...(classId === undefined ? {} : { classId }) }
  const student = { ...who, appId: undefined }
  const context = await authorizeLesson(db, student, what, 'attend').catch((error) => {
    // `authorizeLesson` asks staff to name a student. A launch never names one; staff can only launch in a class that
    // they teach.
    if (!(error instanceof PlatformError && error.kind === 'parameterMissing')) throw error
    throw classId === undefined
      ? fail('parameterMissing', 'classId is missing: send the id of one of your classes')
      : fail('forbidden', 'Only students and instructors of the class can launch its lessons')
  })
  if (context.isLocked) {
    const { reason } = await readLockReason(db, student, what)
    throw fail('impossibleNow', reason ?? 'This lesson is locked')
  }
  return context.enrolmentId
}
