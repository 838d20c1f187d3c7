import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { readFilesOrigin } from '../../learning/content/links.ts'
import type { AssignableUnit } from '../../learning/packages/cmi5-structure.ts'
import { inEnglish } from '../../learning/packages/languages.ts'
import { readPackage, signPackage } from '../../learning/packages/packages.ts'
import { authorizeLesson } from '../../learning/progress/authorize.ts'
import { readLockReason } from '../../learning/progress/locks.ts'
import { writeDocument } from '../documents/documents.ts'
import { EXTENSION, LAUNCH_DATA, type LaunchMode } from '../registrations/names.ts'
import {
  abandonSessions,
  contextOf,
  ensureRegistration,
  type LaunchRow,
  lockRegistration,
  passLessons,
  storeOwn,
  unitNames,
} from '../registrations/registrations.ts'
import { listOpenSessions, startSession } from '../registrations/sessions.ts'
import { itemIri, makeStatement } from '../registrations/statements.ts'
import { accountAgent, bases } from '../statements/model/names.ts'
import type { NewStatement } from '../statements/storing/schema.ts'
import { endpointOf, fetchUrlOf, isElsewhere, launchMethodOf, withLaunchParameters } from './addresses.ts'
import type { LaunchPackageLesson, PackageLaunch, PreviewPackageItem } from './schema.ts'
import * as store from './store.ts'

type Unit = Omit<AssignableUnit, 'type'>
type ItemRow = RowOf<typeof store.findPackageItem>

/** Opens a unit for a student: registers the student, ends earlier sessions and starts one. */
export async function launchPackageLesson(
  db: Db,
  who: PersonCaller,
  what: LaunchPackageLesson,
  environment: Environment,
): Promise<PackageLaunch> {
  const { lessonId, classId } = what
  const student = { ...who, appId: undefined }
  const context = await authorizeLesson(db, student, { lessonId, classId }, 'attend', { recorder: 'package' }).catch(
    refuseStaff,
  )
  const found = await db.first(store.findItem, { class: context.classId, lesson: context.lessonId })
  if (!found) throw fail('validationFailed', 'lessonId is not a lesson of a content package')
  const unit = readUnit(found)
  if (context.isLocked) {
    const { reason } = await readLockReason(db, student, { lessonId, classId })
    throw fail('impossibleNow', reason ?? 'This lesson is locked')
  }
  return db.transaction(async (tx) => {
    const key = { packageId: found.package_id, enrolmentId: context.enrolmentId, personId: who.personId }
    const registration = await ensureRegistration(tx, who, key, environment)
    await lockRegistration(tx, registration)
    const ended = await endOpenSessions(tx, who, registration, environment)
    // A session may end as completed or failed, so what it has changed is read after that.
    const state = await tx.first(store.isWaived, { registration, position: found.position })
    const mode = what.mode ?? (state?.is_satisfied ? 'Review' : 'Normal')
    // A lesson that was locked when its unit was satisfied is passed now.
    if (state?.is_satisfied) await passLessons(tx, who, { registration_id: registration, person_id: who.personId })
    const { attempt, attemptsLeft } = ended.isAny
      ? await authorizeLesson(tx, student, { lessonId, classId }, 'attend', { recorder: 'package' })
      : context
    const hasOpen = attempt !== undefined && attempt.state !== 'completed'
    if (mode === 'Normal' && !state?.is_satisfied && !hasOpen && attemptsLeft <= 0)
      throw fail('impossibleNow', 'All attempts are used; an instructor can grant another one. You can still review it')
    await refuseMissing(tx, { registration, enrolment: context.enrolmentId, item: found })
    const back = { lessonId, classId }
    return start(tx, who, { registration, item: found, unit, mode, back, ended: ended.statements }, environment)
  })
}

/** Staff see content by a preview: a launch would need a student. */
function refuseStaff(error: unknown): never {
  if (error instanceof PlatformError && error.kind === 'parameterMissing')
    throw fail('forbidden', 'Only students of the class can launch its lessons; preview the package instead')
  throw error
}

/** Opens a unit for somebody who may use the package. A preview records no result. */
export async function previewPackageItem(
  db: Db,
  who: PersonCaller,
  { packageId, item: position }: PreviewPackageItem,
  environment: Environment,
): Promise<PackageLaunch> {
  await readPackage(db, who, { packageId }, environment)
  const item = await db.first(store.findPackageItem, { package: packageId, position })
  if (!item) throw fail('notFound', 'The package has no item at this position')
  const unit = readUnit(item)
  return db.transaction(async (tx) => {
    const key = { packageId: item.package_id, enrolmentId: null, personId: who.personId }
    const registration = await ensureRegistration(tx, who, key, environment)
    await lockRegistration(tx, registration)
    const { statements: ended } = await endOpenSessions(tx, who, registration, environment)
    return start(tx, who, { registration, item, unit, mode: 'Browse', back: { packageId }, ended }, environment)
  })
}

function readUnit({ kind, item }: Pick<ItemRow, 'kind' | 'item'>): Unit {
  if (kind !== 'unit') throw fail('impossibleNow', 'This is a group of lessons; open one of the lessons in it')
  return JSON.parse(item) as Unit
}

/** Refuses a unit as long as units that it requires are not satisfied. */
async function refuseMissing(
  tx: Tx,
  { registration, enrolment, item }: { registration: number; enrolment: number; item: RowOf<typeof store.findItem> },
): Promise<void> {
  const { package_id: packageId, position, version_id: version } = item
  const missing = await tx.all(store.listMissing, { package: packageId, position, registration, enrolment, version })
  if (missing.length === 0) return
  const names = missing.slice(0, 3).map(({ title }) => inEnglish(JSON.parse(title)) || 'a lesson without a title')
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : ''
  throw fail('impossibleNow', `This lesson opens after you have passed ${names.join(', ')}${more}`)
}

interface Start {
  readonly registration: number
  readonly item: ItemRow
  readonly unit: Unit
  readonly mode: LaunchMode
  /** The page to which content returns. */
  readonly back: Readonly<Record<string, string>>
  /** The statements about the sessions that ended before this one. */
  readonly ended: readonly NewStatement[]
}

/** Ends the open sessions of a locked registration. Returns the statements that say so. */
async function endOpenSessions(tx: Tx, who: PersonCaller, registration: number, environment: Environment) {
  const open = await listOpenSessions(tx, registration)
  return { isAny: open.length > 0, statements: await abandonSessions(tx, who, open, environment) }
}

/** Starts a session, and stores the launch data and the launched statement (cmi5 10). */
async function start(
  tx: Tx,
  who: PersonCaller,
  { registration, item, unit, mode, back, ended }: Start,
  environment: Environment,
): Promise<PackageLaunch> {
  const { position } = item
  const { row, token } = await startSession(tx, who, { registration, position, mode }, environment)
  const shown = { mode, sessionId: row.session, registration: row.registration }
  if (row.standard !== 'cmi5') {
    await storeOwn(tx, who, ended, environment)
    const fetchUrl = fetchUrlOf(environment, token)
    const parameters = { endpoint: endpointOf(environment), fetch: fetchUrl, standard: row.standard }
    const player = signPackage(environment, { key: item.package }).replace('/p/', '/player/')
    return { url: withLaunchParameters(player, parameters), launchMethod: 'AnyWindow', ...shown }
  }
  const base = isElsewhere(unit.url) ? unit.url : `${signPackage(environment, { key: item.package })}${unit.url}`
  await writeLaunchData(tx, who, { row, unit, back }, environment)
  const launched = makeStatement(contextOf(row, who.at, environment), {
    ...{ verb: 'launched', item: unitNames(row), session: row.session },
    extensions: {
      [EXTENSION.launchMode]: mode,
      [EXTENSION.launchUrl]: base,
      [EXTENSION.moveOn]: unit.moveOn,
      ...(unit.masteryScore === undefined ? {} : { [EXTENSION.masteryScore]: unit.masteryScore }),
      ...(unit.launchParameters === undefined ? {} : { [EXTENSION.launchParameters]: unit.launchParameters }),
    },
  })
  await storeOwn(tx, who, [...ended, launched], environment)
  const known = environment.get(bases)
  return {
    url: withLaunchParameters(base, {
      endpoint: endpointOf(environment),
      fetch: fetchUrlOf(environment, token),
      actor: JSON.stringify(accountAgent(known.homePage, row.handle)),
      registration: row.registration,
      activityId: itemIri(known, row),
    }),
    launchMethod: launchMethodOf(unit),
    ...shown,
  }
}

/** Stores what content has to know about its launch as a State document (cmi5 10). */
async function writeLaunchData(
  tx: Tx,
  who: PersonCaller,
  { row, unit, back }: { row: LaunchRow; unit: Unit; back: Readonly<Record<string, string>> },
  environment: Environment,
): Promise<void> {
  const known = environment.get(bases)
  const data = {
    contextTemplate: {
      contextActivities: { grouping: [{ objectType: 'Activity', id: unit.id }] },
      extensions: { [EXTENSION.session]: row.session },
    },
    launchMode: row.mode,
    launchMethod: unit.launchMethod,
    moveOn: unit.moveOn,
    ...(unit.masteryScore === undefined ? {} : { masteryScore: unit.masteryScore }),
    ...(unit.launchParameters === undefined ? {} : { launchParameters: unit.launchParameters }),
    ...(unit.entitlementKey === undefined ? {} : { entitlementKey: { courseStructure: unit.entitlementKey } }),
    returnURL: `${readFilesOrigin(environment)}/return?${new URLSearchParams(back)}`,
  }
  const contents = Buffer.from(JSON.stringify(data))
  // Version 1.0.3 replaces a document without asking for its ETag.
  const platform = {
    ...{ at: who.at, requestId: who.requestId, address: who.address, version: '1.0.3' as const },
    ...{ scopes: new Set<never>(), authority: accountAgent(known.homePage, row.handle), senderKey: 'platform' },
    ...{ credentialId: undefined, key: undefined, appId: undefined, userId: undefined, handle: row.handle },
    ...{ personId: row.person_id, usesLibrary: false },
  }
  await writeDocument(
    tx,
    platform,
    {
      ...{ kind: 'state', activityId: itemIri(known, row), registration: row.registration, id: LAUNCH_DATA },
      ...{ agent: accountAgent(known.homePage, row.handle), method: 'PUT', match: undefined, noneMatch: undefined },
      document: { contentType: 'application/json', contents, json: contents.toString() },
    },
    environment,
  )
}
