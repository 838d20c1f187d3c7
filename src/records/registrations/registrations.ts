import { randomUUID } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { PlatformError } from '../../kernel/errors.ts'
import {
  beginPackageAttempt,
  endPackageSession,
  passNewLessons,
  passPackageLesson,
  scorePackageAttempt,
} from '../../learning/progress/package-attempts.ts'
import { identify } from '../statements/model/agents.ts'
import { accountAgent, bases } from '../statements/model/names.ts'
import type { LanguageMap } from '../statements/model/statement.ts'
import type { Links, NewStatement } from '../statements/storing/schema.ts'
import { storeInTransaction } from '../statements/storing/storing.ts'
import type { GateState } from './gate.ts'
import type { LaunchMode, MoveOn } from './names.ts'
import { RESULT_EXTENSION } from './names.ts'
import { COURSE, type ItemState, settle } from './satisfaction.ts'
import {
  courseNames,
  durationText,
  type ItemNames,
  itemIri,
  makeStatement,
  type StatementContext,
} from './statements.ts'
import * as store from './store.ts'

export type LaunchRow = RowOf<typeof store.readLaunch>

/** Collateral credit waives a unit because an equivalent one was satisfied. */
const EQUIVALENT = 'Equivalent AU'

/** The cause of a change of a registration. `session` is that of the launch that made it. */
interface Settlement {
  readonly session: string
  /** A unit that the platform waives now, and why. */
  readonly waive?: { readonly position: number; readonly reason: string }
}

/**
 * Finds the registration of a student or of somebody who previews a package, or creates it. Returns its id. Units that
 * need nothing are satisfied from the start (cmi5 9.6.1.1).
 */
export async function ensureRegistration(
  tx: Tx,
  who: Caller,
  what: { readonly packageId: number; readonly enrolmentId: number | null; readonly personId: number },
  environment: Environment,
): Promise<number> {
  const key = { package: what.packageId, enrolment: what.enrolmentId, person: what.personId }
  const found = await tx.first(store.findOf, key)
  if (found) return found.id
  const row = await tx.first(store.insertRegistration, { ...key, code: randomUUID(), now: who.at })
  if (!row) return (await tx.first(store.findOf, key))!.id
  if (what.enrolmentId !== null) {
    const own = await settleRegistration(tx, who, row.id, { session: randomUUID() }, environment)
    await storeOwn(tx, who, own, environment)
  }
  return row.id
}

/** Returns what the gate has to know about a launch. */
export const toGateState = (row: LaunchRow, { get }: Pick<Environment, 'get'>): GateState => {
  const known = get(bases)
  return {
    actor: identify(accountAgent(known.homePage, row.handle))!,
    registration: row.registration,
    session: row.session,
    activity: itemIri(known, row),
    publisher: row.publisher,
    mode: row.mode as LaunchMode,
    masteryScore: row.mastery_score,
    arePreferencesRead: row.preferences_at !== null,
    used: new Set([
      ...(row.initialized_at ? (['initialized'] as const) : []),
      ...(row.completed_at ? (['completed'] as const) : []),
      ...(row.passed_at ? (['passed'] as const) : []),
      ...(row.failed_at ? (['failed'] as const) : []),
      ...(row.ended_by === 'terminated' ? (['terminated'] as const) : []),
    ]),
    isCompleted: row.is_unit_completed,
    isPassed: row.is_unit_passed,
  }
}

/** Returns the links of all statements of a launch. */
export const linksOf = (row: {
  readonly person_id: number
  readonly enrolment_id: number | null
  readonly class_id: number | null
  readonly course_id: number | null
}): Links => ({
  person: row.person_id,
  ...(row.enrolment_id === null ? {} : { enrolment: row.enrolment_id }),
  ...(row.class_id === null ? {} : { class: row.class_id }),
  ...(row.course_id === null ? {} : { course: row.course_id }),
})

export const contextOf = (
  row: Parameters<typeof linksOf>[0] & {
    readonly handle: string
    readonly registration: string
    readonly package: string
  },
  at: Date,
  { get }: Pick<Environment, 'get'>,
): StatementContext => ({
  ...{ bases: get(bases), at, handle: row.handle, registration: row.registration, package: row.package },
  links: linksOf(row),
})

export const unitNames = (row: LaunchRow): ItemNames => ({
  ...{ position: row.position, kind: 'unit', publisher: row.publisher, lesson: row.lesson, lessonId: row.lesson_id },
  title: JSON.parse(row.title) as LanguageMap,
})

/** Returns the links of statements of content, with the attempt. */
export const linksWithAttempt = (row: LaunchRow): Links => ({
  ...linksOf(row),
  sender: row.person_id,
  ...(row.lesson_id === null ? {} : { lesson: row.lesson_id }),
  ...(row.attempt_id === null ? {} : { attempt: row.attempt_id }),
})

/** The student of a launch, and the lesson that it is about; undefined for a preview, which moves no attempt. */
const attemptOf = (who: Caller, row: LaunchRow) =>
  row.lesson === null || row.class === null || row.mode !== 'Normal'
    ? undefined
    : {
        student: { at: who.at, requestId: who.requestId, address: who.address, personId: row.person_id },
        lesson: { lessonId: row.lesson, classId: row.class },
      }

/** The report in the statements of one request. */
export interface Report {
  readonly isInitialized: boolean
  readonly isCompleted: boolean
  readonly isPassed: boolean
  readonly isFailed: boolean
  readonly isTerminated: boolean
  /** In percent; null if it is not reported. */
  readonly score: number | null
  readonly progress: number | null
  readonly seconds: number | null
  /** True if `isTerminated` ends only the attempt, because the player of SCORM can go on with another item. */
  readonly keepsSession?: boolean
}

/** The report of an item of SCORM that was completed before its session ended. */
const COMPLETED: Report = {
  ...{ isInitialized: false, isCompleted: true, isPassed: false, isFailed: false, isTerminated: false },
  ...{ score: null, progress: null, seconds: null, keepsSession: true },
}

/**
 * Applies what content reports to its session, its unit and the attempt at its lesson. Returns the statements that
 * follow. The registration is locked.
 */
export async function applyReport(
  tx: Tx,
  who: Caller,
  row: LaunchRow,
  report: Report,
  environment: Environment,
): Promise<NewStatement[]> {
  const { launch_id: launch, registration_id: registration, position } = row
  const { isInitialized: initialized, isCompleted: completed, isPassed: passed, isFailed: failed } = report
  const { isTerminated, score, progress, seconds } = report
  const noted = { now: who.at, completed, passed, failed }
  const { keepsSession = false } = report
  await tx.first(store.noteLaunch, {
    ...{ ...noted, launch, initialized, seconds, endedBy: isTerminated && !keepsSession ? 'terminated' : null },
    // An item that failed says nothing about the other items of the session.
    failed: failed && !keepsSession,
  })
  if (completed || passed || failed || progress !== null || score !== null)
    await tx.first(store.noteItem, { ...noted, registration, position, score, progress })
  const attempt = attemptOf(who, row)
  if (attempt && initialized && !row.is_unit_satisfied) await beginPackageAttempt(tx, attempt.student, attempt.lesson)
  if (attempt && score !== null) await scorePackageAttempt(tx, attempt.student, attempt.lesson, score)
  const own =
    completed || passed ? await settleRegistration(tx, who, registration, { session: row.session }, environment) : []
  if (attempt && isTerminated)
    await tolerate(() =>
      endAttempt(tx, who, { ...row, failed_at: failed ? who.at : keepsSession ? null : row.failed_at }),
    )
  return own
}

/** Ends the attempt of a session that has failed, and pauses any other. */
async function endAttempt(tx: Tx, who: Caller, row: LaunchRow): Promise<void> {
  const attempt = attemptOf(who, row)
  if (!attempt) return
  const result = row.failed_at ? { pass: false, score: null } : undefined
  await endPackageSession(tx, attempt.student, attempt.lesson, result)
}

/**
 * Evaluates a locked registration after a change: marks what is satisfied now, and passes lessons. Returns the
 * statements that say so, in the order that cmi5 requires.
 */
export async function settleRegistration(
  tx: Tx,
  who: Caller,
  id: number,
  { session, waive }: Settlement,
  environment: Environment,
): Promise<NewStatement[]> {
  const [rows, found] = await Promise.all([
    tx.all(store.listItems, { registration: id }),
    tx.first(store.findRegistration, { registration: id }),
  ])
  const registration = found!
  const items = rows.map(toItem)
  if (waive) items[waive.position]!.isWaived = true
  const consequences = settle(items, registration.is_satisfied)
  const positions = (kind: 'satisfied' | 'waived') =>
    consequences.flatMap((one) => (one.kind === kind && one.position !== COURSE ? one.position : []))
  const waived = positions('waived')
  if (waive)
    await tx.first(store.noteConsequences, {
      ...{
        registration: id,
        now: who.at,
        satisfied: [],
        waived: [waive.position],
        reason: waive.reason,
        course: false,
      },
    })
  if (consequences.length > 0)
    await tx.first(store.noteConsequences, {
      ...{ registration: id, now: who.at, satisfied: positions('satisfied'), waived, reason: EQUIVALENT },
      course: consequences.some(({ position }) => position === COURSE),
    })
  const named = [...consequences.map(({ position }) => position), ...(waive ? [waive.position] : [])]
  if (named.length === 0) return []
  await passLessons(tx, who, { registration_id: id, person_id: registration.person_id })
  const names = new Map(
    (await tx.all(store.listNames, { registration: id, positions: named })).map((row) => [
      row.position,
      toNames(row, items[row.position]!),
    ]),
  )
  names.set(COURSE, courseNames(registration))
  const context = contextOf({ ...registration, registration: registration.code }, who.at, environment)
  const sayWaived = (position: number, reason: string) =>
    makeStatement(context, {
      ...{ verb: 'waived', item: names.get(position)!, session: randomUUID() },
      result: { success: true, completion: true, extensions: { [RESULT_EXTENSION.reason]: reason } },
    })
  const said = consequences.map(({ kind, position }) =>
    kind === 'waived'
      ? sayWaived(position, EQUIVALENT)
      : makeStatement(context, { verb: 'satisfied', item: names.get(position)!, session }),
  )
  return waive ? [sayWaived(waive.position, waive.reason), ...said] : said
}

function toItem(row: RowOf<typeof store.listItems>): ItemState {
  return {
    ...{ position: row.position, parent: row.parent, kind: row.kind as ItemState['kind'], publisher: row.publisher },
    ...{ moveOn: row.move_on as MoveOn, collateralCredit: row.collateral === null ? [] : JSON.parse(row.collateral) },
    ...{ isCompleted: row.is_completed, isPassed: row.is_passed },
    ...{ isWaived: row.is_waived, isSatisfied: row.is_satisfied, isLeftOut: row.is_left_out },
  }
}

const toNames = (row: RowOf<typeof store.listNames>, { kind }: ItemState): ItemNames => ({
  ...{ position: row.position, kind, publisher: row.publisher, title: JSON.parse(row.title) as LanguageMap },
  ...{ lesson: row.lesson, lessonId: row.lesson_id },
})

/**
 * Passes the lessons of satisfied items: waived ones even if they are locked, then all that have no attempt yet, and
 * then again as long as that opens further ones. Lessons that cannot be written, such as those of a closed class, stay
 * as they are.
 */
export async function passLessons(
  tx: Tx,
  who: Caller,
  { registration_id: registration, person_id: personId }: Pick<LaunchRow, 'registration_id' | 'person_id'>,
): Promise<void> {
  const student = { at: who.at, requestId: who.requestId, address: who.address, personId }
  const list = () => tx.all(store.listPassable, { registration, now: who.at })
  let rows = await list()
  const fresh = rows.filter(({ is_new }) => is_new)
  const waived = fresh.filter(({ is_waived, is_open }) => is_waived && !is_open)
  const others = fresh.filter((row) => !waived.includes(row))
  if (waived.length > 0) await passNewLessons(tx, student, waived[0]!.enrolment_id, waived, { areWaived: true })
  if (others.length > 1) await passNewLessons(tx, student, others[0]!.enrolment_id, others)
  if (waived.length > 0 || others.length > 1) rows = await list()
  for (let left = Number.POSITIVE_INFINITY; rows.length > 0 && rows.length < left; rows = await list()) {
    left = rows.length
    for (const { lesson, class: classId, score, is_open } of rows)
      if (is_open) await tolerate(() => passPackageLesson(tx, student, { lessonId: lesson, classId }, score))
  }
}

/** Runs a change that the state of the class may refuse. The checks refuse before they write anything. */
async function tolerate(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
  }
}

/**
 * Ends the open sessions of a locked registration as abandoned (cmi5 9.3.6), with the time from the launch to the last
 * request as duration. Returns the statements that say so.
 */
export async function abandonSessions(
  tx: Tx,
  who: Caller,
  rows: readonly LaunchRow[],
  environment: Environment,
): Promise<NewStatement[]> {
  const said: NewStatement[] = []
  for (const row of rows) {
    const isScorm = row.standard !== 'cmi5'
    const seconds = row.seconds ?? (row.last_at.getTime() - row.created_at.getTime()) / 1000
    await tx.first(store.noteLaunch, {
      ...{ launch: row.launch_id, now: who.at, initialized: false, completed: false, passed: false, failed: false },
      // The player of SCORM has reported a duration if its last item has ended.
      ...{ endedBy: isScorm && row.seconds !== null ? 'terminated' : 'abandoned', seconds },
    })
    // The item of SCORM was not ended by its content, so it is judged by what it has said last.
    if (isScorm && row.completed_at && !row.is_unit_completed)
      said.push(...(await applyReport(tx, who, row, COMPLETED, environment)))
    await tolerate(() => endAttempt(tx, who, row))
    if (isScorm) continue
    said.push(
      makeStatement(contextOf(row, who.at, environment), {
        ...{ verb: 'abandoned', item: unitNames(row), session: row.session },
        result: { duration: durationText(seconds) },
      }),
    )
  }
  return said
}

/** Stores statements of the platform itself. */
export async function storeOwn(
  tx: Tx,
  who: Pick<Caller, 'at'>,
  statements: readonly NewStatement[],
  { get }: Pick<Environment, 'get'>,
): Promise<void> {
  if (statements.length === 0) return
  const sender = { at: who.at, homePage: get(bases).homePage, senderKey: 'platform', defines: true }
  await storeInTransaction(tx, sender, statements)
}

/** Locks a registration until the commit, so that its changes are made one after the other. */
export async function lockRegistration(tx: Tx, registration: number): Promise<void> {
  await tx.first(store.lockRegistration, { registration })
}

/** Runs a change of a registration with it locked. */
export const withRegistration = <T>(db: Db, registration: number, change: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction(async (tx) => {
    await lockRegistration(tx, registration)
    return change(tx)
  })
