import { recordAudit } from '../../kernel/audit/audit.ts'
import { type PersonCaller, upkeepAt } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import type { AssignableUnit } from '../../learning/packages/cmi5-structure.ts'
import { inEnglish } from '../../learning/packages/languages.ts'
import { authorizeClass, authorizeLesson, type LessonContext } from '../../learning/progress/authorize.ts'
import {
  ensureRegistration,
  lockRegistration,
  settleRegistration,
  storeOwn,
  withRegistration,
} from '../registrations/registrations.ts'
import { abandonSession, listSilentSessions } from '../registrations/sessions.ts'
import { isUuid } from '../statements/model/forms.ts'
import { launchMethodOf } from './addresses.ts'
import type {
  EndPackageSession,
  ListPackageSessions,
  PackageLesson,
  PackageSession,
  ReadPackageLesson,
  WaivePackageLesson,
} from './schema.ts'
import * as store from './store.ts'

/** Finds the item of a package that a lesson shows. */
async function findItem(db: Db, { classId, lessonId }: LessonContext) {
  const found = await db.first(store.findItem, { class: classId, lesson: lessonId })
  if (!found) throw fail('validationFailed', 'lessonId is not a lesson of a content package')
  return found
}

/** Reads what the content of a lesson has reported for a student. */
export async function readPackageLesson(db: Db, who: PersonCaller, what: ReadPackageLesson): Promise<PackageLesson> {
  const context = await authorizeLesson(db, { ...who, appId: undefined }, what, 'read')
  const item = await findItem(db, context)
  const { enrolmentId: enrolment } = context
  const { package_id: packageId, position, version_id: version } = item
  const state = (await db.first(store.findState, { enrolment, package: packageId, position }))!
  const registration = state.registration_id
  const [missing, sessions] = await Promise.all([
    db.all(store.listMissing, { package: packageId, position, registration, enrolment, version }),
    registration === null ? [] : db.all(store.listSessionsOfItem, { registration, position }),
  ])
  const unit = JSON.parse(item.item) as Partial<AssignableUnit>
  const { url, launchMethod } = unit
  return {
    ...{ lessonId: what.lessonId, packageId: item.package, item: position, kind: item.kind },
    launchMethod: url !== undefined && launchMethod !== undefined ? launchMethodOf({ url, launchMethod }) : null,
    moveOn: unit.moveOn ?? null,
    masteryScore: unit.masteryScore ?? null,
    ...toState(state),
    requires: missing.map(({ title, lesson }) => ({ lessonId: lesson, title: inEnglish(JSON.parse(title)) })),
    sessions: sessions.map(toSession),
  }
}

/** Lists the sessions of a class, for its staff. */
export async function listPackageSessions(
  db: Db,
  who: PersonCaller,
  what: ListPackageSessions,
): Promise<Page<PackageSession>> {
  const { id } = await authorizeClass(db, { ...who, appId: undefined }, what, 'read')
  const rows = await db.all(store.listSessions, { class: id, lesson: what.lessonId ?? null, ...spanOf(what) })
  const sessions = rows.map((row) => ({
    ...toSession(row),
    ...{
      studentId: row.student,
      handle: row.handle,
      name: row.name,
      lessonId: row.lesson,
      lessonName: row.lesson_name,
    },
    ...toState(row),
  }))
  return pageOf(sessions, rows[0]?.total ?? 0, what)
}

type StateRow = Omit<RowOf<typeof store.findState>, 'registration_id'>

const toState = (row: StateRow) => ({
  ...{ completed: row.is_completed, passed: row.is_passed, failed: row.is_failed },
  ...{ waived: row.is_waived, waiveReason: row.waive_reason, satisfied: row.is_satisfied },
  ...{ progress: row.progress, score: row.score },
})

const toSession = (row: RowOf<typeof store.listSessionsOfItem>) => ({
  ...{ sessionId: row.session, mode: row.mode, startedDate: row.created_at, lastDate: row.last_at },
  ...{ endedDate: row.ended_at, endedBy: row.ended_by, seconds: row.seconds },
})

/** Waives a unit for a student: it counts as satisfied, and the reason is recorded (cmi5 9.3.7). */
export async function waivePackageLesson(
  db: Db,
  who: PersonCaller,
  what: WaivePackageLesson,
  environment: Environment,
): Promise<void> {
  const reason = what.reason.trim()
  if (reason === '') throw fail('validationFailed', 'reason must not be empty: say why the student need not take it')
  const context = await authorizeLesson(db, { ...who, appId: undefined }, what, 'grade')
  const item = await findItem(db, context)
  if (item.kind !== 'unit') throw fail('impossibleNow', 'This is a group of lessons; waive the lessons in it')
  const { position } = item
  await db.transaction(async (tx) => {
    const student = (await tx.first(store.findStudent, { enrolment: context.enrolmentId }))!
    const key = { packageId: item.package_id, enrolmentId: context.enrolmentId, personId: student.person_id }
    const registration = await ensureRegistration(tx, who, key, environment)
    await lockRegistration(tx, registration)
    const state = await tx.first(store.isWaived, { registration, position })
    if (state?.is_waived) throw fail('conflict', 'This lesson was already waived for the student')
    if (state?.is_satisfied) throw fail('conflict', 'The student has already passed this lesson')
    const waive = { position, reason }
    const said = await settleRegistration(tx, who, registration, { session: crypto.randomUUID(), waive }, environment)
    await recordAudit(tx, who, {
      action: 'lesson.waived',
      personId: student.person_id,
      detail: { class: what.classId, lesson: what.lessonId, reason },
    })
    await storeOwn(tx, who, said, environment)
  })
}

/** Ends an open session of a student as abandoned. A session that has ended stays as it is. */
export async function endPackageSession(
  db: Db,
  who: PersonCaller,
  { sessionId }: EndPackageSession,
  environment: Environment,
): Promise<void> {
  const found = isUuid(sessionId) ? await db.first(store.findSession, { session: sessionId.toLowerCase() }) : undefined
  const { student, class: classId, lesson } = found ?? {}
  if (!found || !student || !classId || !lesson)
    throw fail('forbidden', 'There is no session with this id, or you may not end it')
  await authorizeLesson(db, { ...who, appId: undefined }, { lessonId: lesson, classId, studentId: student }, 'grade')
  await withRegistration(db, found.registration_id, (tx) => abandonSession(tx, who, found.launch_id, environment))
}

/** The number of silent sessions that are read at once. */
const PART = 100

/** Abandons sessions whose content has not called the platform for PACKAGE_SESSION_MINUTES. */
export async function abandonSilent(environment: Environment): Promise<void> {
  const { db, clock, config, stopping } = environment
  const silentMs = config.PACKAGE_SESSION_MINUTES * 60_000
  while (!stopping.aborted) {
    const at = clock()
    const before = new Date(at.getTime() - silentMs)
    const rows = await listSilentSessions(db, { before, limit: PART })
    for (const { launch_id: launch, registration_id: registration } of rows)
      await withRegistration(db, registration, (tx) => abandonSession(tx, upkeepAt(at), launch, environment))
    if (rows.length < PART) return
  }
}

export async function* exportLaunches(db: Db, personId: number): AsyncGenerator<unknown> {
  for (let after = 0; ; ) {
    const rows = await db.all(store.exportOfPerson, { person: personId, after })
    for (const { id: _id, package: title, position, registration, ...row } of rows)
      yield { package: title, item: position, registration, ...toSession(row), ...toState(row) }
    if (rows.length === 0) return
    after = rows.at(-1)!.id
  }
}
