import { recordAudit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import { carryOut, countEntries, keepParts } from './carry-out.ts'
import { type Existing, findDangling, findFamilyMistakesHere, readExisting } from './existing.ts'
import { splitFile } from './parts.ts'
import { preparePasswords } from './passwords.ts'
import { type Changes, type Plan, planImport } from './plan.ts'
import { prepareFile } from './prepared.ts'
import { checkFile, ImportRefused, MAX_FRIENDS, type Mistake } from './rules.ts'
import type { ImportFile } from './schema.ts'
import * as store from './store.ts'
import { findCrowded } from './ties.ts'

export { watchImports } from './carry-out.ts'

/** An environment that an import goes to. */
export interface ImportTarget {
  readonly name: EnvironmentName
  readonly db: Db
  readonly secretHashKey: Buffer
}

export interface ImportOptions {
  /** The JSON of the file. */
  readonly content: unknown
  /** Says what would happen, and writes nothing. */
  readonly isDryRun?: boolean
  readonly onProgress?: (done: number, total: number, label: string) => void
}

export interface Counts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}
export type ImportReport = Readonly<Record<keyof ImportFile, Counts>>

/**
 * Brings the content of a file into every given environment, or into none. It is checked and decided as a whole: what has to be written waits in every environment before
 * the first of them commits. Then it is written in parts, by this process or, if it ends before that, by any other of the platform.
 */
export async function importContent(
  targets: readonly ImportTarget[],
  who: Caller,
  what: ImportOptions,
): Promise<Partial<Record<EnvironmentName, ImportReport>>> {
  const { isDryRun = false, onProgress = () => {} } = what
  const { mistakes, references, file } = checkFile(what.content, who.at)
  const dangling = await Promise.all(targets.map(({ db, name }) => findDangling(db, name, references)))
  refuseMistakes([...mistakes, ...dangling.flat()])
  const existing = await Promise.all(targets.map(({ db, name }) => readExisting(db, name, file)))
  const families = await Promise.all(targets.map(({ db }, i) => findFamilyMistakesHere(db, file, existing[i]!, who.at)))
  refuseMistakes([...new Set(families.flat())])
  const chooseHash = await preparePasswords(file.people, existing, {
    isDryRun,
    onDone: (done, total) => onProgress(done, total, 'hashing passwords'),
  })
  const prepare = async (db: Db, { name, secretHashKey }: ImportTarget, found: Existing) => {
    const prepared = prepareFile(file, found, secretHashKey, chooseHash)
    const plan = planImport(prepared, found, name, who.at)
    refuseMistakes(await findMistakesAboutFriends(db, plan, found))
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
    const parts = [...splitFile(prepared, plan, target.name)]
    await keepParts(tx, who, parts)
    await recordAudit(tx, who, { action: 'import', detail: summarise(toReport(plan)) })
    return { plan, entries: parts.reduce((sum, part) => sum + countEntries(part), 0) }
  }
  const decided = await decideForAll(targets, decideFor)
  const total = decided.reduce((sum, { entries }) => sum + entries, 0)
  let done = 0
  const onPart = (entries: number) => {
    done += entries
    onProgress(Math.min(done, total), total, 'writing')
  }
  await Promise.all(targets.map((target) => carryOut(target, onPart)))
  return toReports(targets, decided)
}

function refuseMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new ImportRefused(mistakes)
}

async function findMistakesAboutFriends(db: Db, { people }: Plan, existing: Existing): Promise<Mistake[]> {
  const planned = [...people.created, ...people.updated]
  const crowded = await findCrowded(db, planned, (handle) => existing.people.get(handle)?.id)
  return [...crowded].sort().map((handle) => {
    const name = existing.people.get(handle)?.handle ?? `@${handle}`
    return `${name}: would have more than ${MAX_FRIENDS} friends`
  })
}

/**
 * Opens a transaction in each target, one after the other, so that two imports at once wait in the same order; then decides in
 * all of them. The first failure rolls back every one. What an earlier import has decided is written before, so that it counts.
 */
async function decideForAll<T>(
  targets: readonly ImportTarget[],
  decide: (tx: Db, target: ImportTarget) => Promise<T>,
): Promise<T[]> {
  const open = ([next, ...rest]: readonly ImportTarget[], opened: readonly Db[]): Promise<T[] | 'unfinished'> => {
    if (next)
      return next.db.transaction(async (tx) => {
        await tx.first(store.takeTurnToDecide, {})
        if (await tx.first(store.findFirstPart, {})) return 'unfinished'
        return open(rest, [...opened, tx])
      })
    return decideIn(opened)
  }
  const decideIn = async (opened: readonly Db[]): Promise<T[]> => {
    const results = await Promise.allSettled(opened.map((tx, i) => decide(tx, targets[i]!)))
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }
  while (true) {
    const decided = await open(targets, [])
    if (decided !== 'unfinished') return decided
    for (const target of targets) await carryOut(target, () => {})
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
