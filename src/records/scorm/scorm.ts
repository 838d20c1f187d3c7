import { hash } from 'node:crypto'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { readFilesOrigin } from '../../learning/content/links.ts'
import type { ReadItem } from '../../learning/packages/importing.ts'
import { activityTree } from '../../learning/packages/scorm-tree.ts'
import type { StoreCaller } from '../credentials/credentials.ts'
import { refuseEnded, refuseInactive } from '../registrations/recording.ts'
import {
  applyReport,
  contextOf,
  type LaunchRow,
  linksWithAttempt,
  storeOwn,
  unitNames,
  withRegistration,
} from '../registrations/registrations.ts'
import { moveSession, noteStatus, readSessionAt, touchSession } from '../registrations/sessions.ts'
import { durationText } from '../registrations/statements.ts'
import type { Result } from '../statements/model/statement.ts'
import type { NewStatement } from '../statements/storing/schema.ts'
import { storeInTransaction } from '../statements/storing/storing.ts'
import { type ItemReport, readItemReport, type Standard } from './rules.ts'
import type { CommitScorm, ScormSession } from './schema.ts'
import { type ItemContext, type ScormVerb, sayInteraction, sayItem, sayObjective } from './statements.ts'
import * as store from './store.ts'

/** The number of pages of items, and of saved data, that the player takes. The import allows no larger packages. */
const MOST_PAGES = 4

/** Reads a list in pages of limited size. Its last row has the largest position. */
async function readPages<Row extends { readonly position: number; readonly found: number }>(
  readAfter: (after: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (let pages = 0, left = 1; left > 0; pages++) {
    if (pages === MOST_PAGES)
      throw fail('impossibleNow', 'The saved data of this package are too large for the player; ask for a reset')
    const page = await readAfter(rows.at(-1)?.position ?? store.WHOLE - 1)
    rows.push(...page)
    left = (page[0]?.found ?? 0) - page.length
  }
  return rows
}

/** Returns everything that the player needs to start: the items of the package, and what was saved of them. */
export async function readScormSession(db: Db, launch: LaunchRow, environment: Environment): Promise<ScormSession> {
  const { package_id: packageId, registration_id: registration, lesson, class: classId } = launch
  refuseOtherStandards(launch)
  const [found, rows, learner, states] = await Promise.all([
    db.first(store.findPackage, { package: packageId }),
    readPages((after) => db.all(store.listItems, { package: packageId, after })),
    db.first(store.findLearner, { person: launch.person_id }),
    readPages((after) => db.all(store.listStates, { registration, after })),
  ])
  const items = rows.map(({ position, parent, kind, item }) => ({
    ...{ position, parent, kind: kind as 'unit' | 'block', item: JSON.parse(item) },
  }))
  const structure = JSON.parse(found!.structure)
  const { handle, first_name: first, last_name: last } = learner!
  const shared = states.find(({ position }) => position === store.WHOLE)?.cmi
  const isNormal = launch.mode === 'Normal'
  return {
    standard: launch.standard,
    title: found!.title,
    mode: launch.mode.toLowerCase(),
    credit: isNormal ? 'credit' : 'no-credit',
    learner: { id: handle, name: [last, first].filter((part) => part !== '').join(', ') || handle },
    item: launch.position,
    items,
    sequencing:
      launch.standard === 'scorm2004' ? activityTree({ structure, items: items as unknown as ReadItem[] }) : null,
    states: Object.fromEntries(
      states
        .filter(({ position }) => position !== store.WHOLE)
        .map(({ position, cmi, is_suspended: isSuspended, is_satisfied: isSatisfied }) => [
          position,
          {
            cmi: cmi === null ? {} : JSON.parse(cmi),
            entry: isSuspended ? 'resume' : isNormal ? 'ab-initio' : '',
            satisfied: isSatisfied,
          },
        ]),
    ),
    shared: shared == null ? null : JSON.parse(shared),
    returnUrl: `${readFilesOrigin(environment)}/return${lesson && classId ? `?${new URLSearchParams({ lessonId: lesson, classId })}` : ''}`,
  }
}

/** Yields what SCORM packages have saved of a person. Position -1 is the package as a whole. */
export async function* exportScorm(db: Db, personId: number): AsyncGenerator<unknown> {
  let last = { registration: 0, position: store.WHOLE }
  for (;;) {
    const rows = await db.all(store.exportOfPerson, { person: personId, ...last })
    for (const { package: title, registration, position, cmi, saved_at: savedAt } of rows)
      yield { package: title, registration, item: position, data: JSON.parse(cmi ?? 'null'), savedDate: savedAt }
    const end = rows.at(-1)
    if (!end) return
    last = { registration: end.registration_id, position: end.position }
  }
}

/** Deletes what was saved of an item, and the state of its package as a whole, which has results of the item too. */
export async function forgetItem(tx: Tx, registration: number, position: number): Promise<void> {
  await tx.all(store.deleteStates, { registration, positions: [position, store.WHOLE] })
}

function refuseOtherStandards({ standard }: LaunchRow): void {
  if (standard === 'cmi5') throw fail('forbidden', 'Content of cmi5 uses the record store; this is for SCORM')
}

/** Saves the data model of an item, and applies what it says to the attempt and to the record. */
export function commitScorm(
  db: Db,
  who: StoreCaller & { readonly launch: LaunchRow },
  what: CommitScorm,
  environment: Environment,
): Promise<void> {
  refuseOtherStandards(who.launch)
  return withRegistration(db, who.launch.registration_id, async (tx) => {
    const { launch_id: launch, registration_id: registration } = who.launch
    const row = await readSessionAt(tx, launch, what.item)
    if (!row) throw fail('validationFailed', 'item must be the position of an item of the package')
    if (row.ended_at) throw refuseEnded(row)
    if (who.launch.position !== what.item) await moveSession(tx, launch, what.item)
    if (!row.is_active) {
      if (!what.finished && !what.ended) throw refuseInactive()
      await touchSession(tx, who, launch, true)
      return
    }
    const before = await tx.first(store.findState, { registration, position: what.item })
    const isFirst = before?.launch_id !== launch
    if (!isFirst && what.sequence <= before!.sequence) {
      if (what.ended) await touchSession(tx, who, launch, true)
      return
    }
    const known = before?.cmi == null ? {} : (JSON.parse(before.cmi) as Record<string, unknown>)
    const cmi = what.partial ? { ...known, ...what.cmi } : what.cmi
    const isFinished = what.finished === true
    const isOver = isFinished || what.ended === true
    const state = {
      ...{ registration, position: what.item, launch, sequence: what.sequence, person: row.person_id, now: who.at },
      ...{ isFinished, isSuspended: !isFinished || what.exit === 'suspend' },
    }
    if (row.mode !== 'Normal') {
      await touchSession(tx, who, launch, what.ended === true)
      return
    }
    const report = readItemReport(row.standard as Standard, cmi)
    // With a passing score, an item is not completed without a score, unless it ends so.
    const isCompleted =
      report.isCompleted && (!row.has_passing_score || report.score !== undefined || (isFinished && !state.isSuspended))
    const reopened = isFirst || (before?.is_finished === true && !isFinished)
    const own = await applyItem(
      tx,
      who,
      row,
      { what, report: { ...report, isCompleted }, isFirst: reopened, isOver },
      environment,
    )
    await noteStatus(tx, who, {
      ...{ launch, completed: isCompleted && !isOver, failed: report.isFailed && !isOver },
    })
    const after = (await readSessionAt(tx, launch, what.item))!
    const recorded = isFirst && !before?.is_suspended ? {} : JSON.parse(before?.recorded ?? '{}')
    const context: ItemContext = {
      ...contextOf(row, who.at, environment),
      ...{ item: unitNames(row), session: row.session, links: linksWithAttempt(after) },
    }
    const said = sayAll(context, row, {
      what,
      report,
      recorded,
      isFirst: reopened,
      isResumed: before?.is_suspended === true,
    })
    await tx.first(store.saveState, { ...state, cmi: JSON.stringify(cmi), recorded: JSON.stringify(said.recorded) })
    if (what.shared)
      await tx.first(store.saveState, {
        ...{ ...state, position: store.WHOLE, cmi: JSON.stringify(what.shared), recorded: '{}' },
      })
    const sender = { at: who.at, personId: row.person_id, senderKey: who.senderKey, homePage: context.bases.homePage }
    if (said.statements.length > 0) await storeInTransaction(tx, sender, said.statements)
    await storeOwn(tx, who, own, environment)
    await touchSession(tx, who, launch, what.ended === true)
  })
}

interface Commit {
  readonly what: CommitScorm
  readonly report: ItemReport
  /** True for the first commit of the item in this session. */
  readonly isFirst: boolean
}

/** Applies the state of an item to the registration and the attempt. Returns the platform's own statements. */
const applyItem = (
  tx: Tx,
  who: Caller,
  row: LaunchRow,
  { what, report, isFirst, isOver }: Commit & { readonly isOver: boolean },
  environment: Environment,
): Promise<NewStatement[]> => {
  return applyReport(
    tx,
    who,
    row,
    {
      isInitialized: isFirst,
      // Content may still call an item failed that it has called completed, so this counts when the item ends.
      isCompleted: isOver && report.isCompleted && !row.is_unit_completed,
      isPassed: report.isPassed && !row.is_unit_passed,
      isFailed: report.isFailed,
      isTerminated: isOver,
      score: report.isFailed && row.is_unit_satisfied ? null : report.percent,
      progress: report.progress,
      seconds: what.finished ? (what.sessionSeconds ?? 0) : null,
      keepsSession: true,
    },
    environment,
  )
}

/** The maximum number of statements of one commit. The rest follows with the next one. */
const MOST_STATEMENTS = 500

/** Makes the statements of a commit: of the item, and of interactions and objectives that have changed. */
function sayAll(
  context: ItemContext,
  row: LaunchRow,
  {
    what,
    report,
    recorded: known,
    isFirst,
    isResumed,
  }: Commit & { readonly recorded: Readonly<Record<string, string>>; readonly isResumed: boolean },
): { statements: NewStatement[]; recorded: Record<string, string> } {
  const recorded = { ...known }
  const statements: NewStatement[] = []
  const sayOnce = (key: string, value: unknown, say: () => NewStatement | undefined) => {
    const digest = hash('sha1', JSON.stringify(value)).slice(0, 12)
    if (recorded[key] === digest || statements.length >= MOST_STATEMENTS) return
    const statement = say()
    if (!statement) return
    recorded[key] = digest
    statements.push(statement)
  }
  const say = (verb: ScormVerb, result?: Result) => statements.push(sayItem(context, verb, result))
  if (isFirst) say(isResumed ? 'resumed' : 'initialized')
  report.interactions.forEach((interaction, i) => {
    if (interaction.response !== undefined || interaction.result !== undefined)
      sayOnce(`i${i}`, interaction, () => sayInteraction(context, interaction))
  })
  for (const objective of report.objectives)
    sayOnce(`o${objective.id}`, objective, () => sayObjective(context, objective))
  const score = report.score ? { score: report.score } : {}
  if (report.isCompleted && !row.is_unit_completed)
    sayOnce('completed', true, () => sayItem(context, 'completed', { completion: true }))
  if (report.isPassed && !row.is_unit_passed) say('passed', { success: true, ...score })
  if (report.isFailed)
    sayOnce('failed', report.score ?? null, () => sayItem(context, 'failed', { success: false, ...score }))
  if (what.finished) {
    const duration = what.sessionSeconds === undefined ? {} : { duration: durationText(what.sessionSeconds) }
    say(what.exit === 'suspend' ? 'suspended' : 'terminated', {
      ...{ ...duration, ...score, completion: report.isCompleted },
      ...(report.isPassed || report.isFailed ? { success: report.isPassed } : {}),
    })
  }
  return { statements, recorded }
}
