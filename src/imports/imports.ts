import { secretHashKey } from '../apps/secrets.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { carryOut, countEntries, keepParts } from './carry-out.ts'
import { countPlaces, type Existing, findDangling, findFamilyMistakesHere, readExisting } from './existing.ts'
import { splitFile } from './parts.ts'
import { preparePasswords } from './passwords.ts'
import { type Changes, type Plan, planImport } from './plan.ts'
import { prepareFile } from './prepared.ts'
import { checkFile, ImportRefused, MAX_FRIENDS, type Mistake } from './rules.ts'
import type { ImportFile } from './schema.ts'
import * as store from './store.ts'
import { findRoom } from './ties.ts'

export { importJobs } from './carry-out.ts'

/** An environment that an import goes to. */
export interface ImportTarget {
  readonly name: EnvironmentName
  readonly db: Db & { readonly schema: string }
  readonly get: Environment['get']
}

export interface ImportOptions {
  /** The JSON of the file. */
  readonly content: unknown
  /** Says what would happen, and writes nothing. */
  readonly isDryRun?: boolean
  readonly onProgress?: (done: number, total: number, label: string) => void
  /** It is decided, and will arrive whatever happens. */
  readonly onAccepted?: () => void
}

export interface Counts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}
export type ImportReport = Readonly<Record<keyof ImportFile, Counts>>

/**
 * Brings the content of a file into every given environment, or into none. It is checked as a whole and decided with one commit, by which what has to be written waits in each
 * of them. Then it is written in parts, by this process or, if it ends before that, by any other of the platform.
 */
export async function importContent(
  targets: readonly ImportTarget[],
  who: Caller,
  what: ImportOptions,
): Promise<Partial<Record<EnvironmentName, ImportReport>>> {
  const { isDryRun = false, onProgress = () => {} } = what
  const { mistakes, references, file } = checkFile(what.content, who.at)
  // What an earlier import has decided counts.
  if (mistakes.length === 0) await finishEarlier(targets, isDryRun)
  const dangling = await Promise.all(targets.map(({ db, name }) => findDangling(db, name, references)))
  refuseMistakes([...mistakes, ...dangling.flat()])
  const existing = await Promise.all(targets.map(({ db, name }) => readExisting(db, name, file)))
  const families = await Promise.all(targets.map(({ db }, i) => findFamilyMistakesHere(db, file, existing[i]!, who.at)))
  refuseMistakes([...new Set(families.flat())])
  const chooseHash = await preparePasswords(file.people, existing, {
    isDryRun,
    onDone: (done, total) => onProgress(done, total, 'hashing passwords'),
  })
  const prepare = async (db: Db, target: ImportTarget, now: Existing) => {
    const before = existing[targets.indexOf(target)]!
    const prepared = prepareFile(file, { before, now }, target.get(secretHashKey), chooseHash)
    const plan = planImport(prepared, now, target.name, who.at)
    refuseMistakes(await findMistakesAboutFriends(db, plan, now))
    return { plan, prepared }
  }
  if (isDryRun)
    return toReports(targets, await Promise.all(targets.map((target, i) => prepare(target.db, target, existing[i]!))))

  const decideFor = async (tx: Db, target: ImportTarget) => {
    // Once more, now that no other import can write.
    refuseMistakes(await findDangling(tx, target.name, references))
    const found = await readExisting(tx, target.name, file)
    refuseMistakes(await findFamilyMistakesHere(tx, file, found, who.at))
    const { plan, prepared } = await prepare(tx, target, found)
    const places = await countPlaces(
      tx,
      plan.people.updated.map(({ id }) => id),
    )
    const parts = [...splitFile({ file: prepared, plan, environment: target.name, places })]
    await keepParts(tx, who, parts)
    await recordAudit(tx, who, { action: 'import', detail: summarise(toReport(plan)) })
    return { plan, entries: parts.reduce((sum, part) => sum + countEntries(part), 0) }
  }
  const decided = await decideForAll(targets, decideFor)
  what.onAccepted?.()
  const total = decided.reduce((sum, { entries }) => sum + entries, 0)
  let done = 0
  const onPart = (entries: number) => {
    done += entries
    onProgress(Math.min(done, total), total, 'writing')
  }
  const written = await Promise.allSettled(targets.map((target) => carryOut(target, onPart)))
  for (const outcome of written) if (outcome.status === 'rejected') throw arrivesLater(outcome.reason)
  return toReports(targets, decided)
}

const arrivesLater = ({ message }: Error): Error =>
  fail(
    'notReady',
    `The file is accepted, and what is left of it will be written by the platform while it runs, or by the next import. For now: ${message}`,
  )

/** A dry run writes nothing, not even that. */
async function finishEarlier(targets: readonly ImportTarget[], isDryRun: boolean): Promise<void> {
  for (const target of targets) {
    if (!(await target.db.first(store.findFirstPart, {}))) continue
    if (isDryRun)
      throw fail(
        'conflict',
        'An earlier import is not written to its end yet: let the platform run, or import once more, and try again',
      )
    await carryOut(target, () => {})
  }
}

function refuseMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new ImportRefused(mistakes)
}

async function findMistakesAboutFriends(db: Db, { people }: Plan, existing: Existing): Promise<Mistake[]> {
  const planned = [...people.created, ...people.updated]
  const room = await findRoom(db, planned, (handle) => existing.people.get(handle)?.id)
  const crowded = [...room.keys()].filter((handle) => room.get(handle)! < 0)
  return crowded.sort().map((handle) => {
    const name = existing.people.get(handle)?.handle ?? `@${handle}`
    return `${name}: would have more than ${MAX_FRIENDS} friends`
  })
}

/** Decides for all targets with one commit. What an earlier import has decided is written before, so that it counts. */
async function decideForAll<T>(
  targets: readonly ImportTarget[],
  decide: (tx: Db, target: ImportTarget) => Promise<T>,
): Promise<T[]> {
  const decideOnce = async (tx: Db): Promise<T[] | 'unfinished'> => {
    await tx.first(store.beginDecision, {})
    for (const { db } of targets) {
      await tx.first(store.enter, { schema: db.schema })
      await tx.first(store.takeTurn, {})
      if (await tx.first(store.findFirstPart, {})) return 'unfinished'
    }
    const decided: T[] = []
    for (const target of targets) {
      await tx.first(store.enter, { schema: target.db.schema })
      decided.push(await decide(tx, target))
    }
    return decided
  }
  while (true) {
    const decided = await targets[0]!.db.transaction(decideOnce)
    if (decided !== 'unfinished') return decided
    await finishEarlier(targets, false)
  }
}

const count = <T>({ created, updated, unchanged }: Changes<T>): Counts => ({
  created: created.length,
  updated: updated.length,
  unchanged,
})

const toReport = (plan: Plan): ImportReport => ({
  organisations: count(plan.organisations),
  people: count(plan.people),
  apps: count(plan.apps),
})

const toReports = (
  targets: readonly ImportTarget[],
  outcomes: readonly { readonly plan: Plan }[],
): Partial<Record<EnvironmentName, ImportReport>> =>
  Object.fromEntries(targets.map(({ name }, i) => [name, toReport(outcomes[i]!.plan)]))

/** `people: 3 created, 1 updated`, for the audit log. */
const summarise = (report: ImportReport): Record<string, string> =>
  Object.fromEntries(
    Object.entries(report).map(([section, { created, updated, unchanged }]) => [
      section,
      `${created} created, ${updated} updated, ${unchanged} unchanged`,
    ]),
  )

/** Whether nobody has ever done anything here. */
export const isUntouched = async (db: Db): Promise<boolean> => (await db.first(store.findTraces, {}))?.any === false
