import { recordAudit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import { type Db, hasCode } from '../database/database.ts'
import { placeNewcomers } from '../search/draws.ts'
import { findDangling, findFamilyMistakesHere, readExisting } from './existing.ts'
import { preparePasswords } from './passwords.ts'
import { type Changes, type Plan, planImport } from './plan.ts'
import { checkFile, ImportRefused, type Mistake } from './rules.ts'
import type { ImportFile } from './schema.ts'
import * as store from './store.ts'
import { changedMeanwhile, writePlan } from './write.ts'

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
 * Brings the content of a file into every given environment, or into none. Each has a transaction of its own, because they share no
 * connection; all have written everything before the first of them commits.
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
  if (isDryRun) {
    return toReports(
      targets,
      existing.map((found, i) => planImport(file, found, targets[i]!, chooseHash, who.at)),
    )
  }

  const total = file.people.length * targets.length
  let done = 0
  const importInto = async (tx: Db, target: ImportTarget): Promise<Plan> => {
    // Once more, now that no other import can write.
    refuseMistakes(await findDangling(tx, target.name, references))
    const found = await readExisting(tx, target.name, file)
    refuseMistakes(await findFamilyMistakesHere(tx, file, found, who.at))
    const plan = planImport(file, found, target, chooseHash, who.at)
    done += plan.people.unchanged
    await writePlan(
      tx,
      who,
      { plan, existing: found },
      {
        people: (count) => {
          done += count
          onProgress(done, total, 'writing people')
        },
        users: (count, of) => onProgress(count, of, `making them users of apps in ${target.name}`),
      },
    )
    await recordAudit(tx, who, { action: 'import', detail: summarise(toReport(plan)) })
    return plan
  }
  try {
    return toReports(targets, await inAllTransactions(targets, importInto))
  } catch (error) {
    // Unique or foreign key: somebody added or removed an entry after it was looked for.
    throw hasCode(error, '23505', '23503') ? changedMeanwhile() : error
  }
}

function refuseMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new ImportRefused(mistakes)
}

/**
 * Opens a transaction in each target, one after the other, so that two imports at once wait in the same order; then does the work in
 * all of them. The first failure rolls back every one.
 */
async function inAllTransactions<T>(
  targets: readonly ImportTarget[],
  work: (tx: Db, target: ImportTarget) => Promise<T>,
): Promise<T[]> {
  const open = ([next, ...rest]: readonly ImportTarget[], opened: readonly Db[]): Promise<T[]> => {
    if (next)
      return next.db.transaction(async (tx) => {
        await tx.first(store.beginImport, {})
        return open(rest, [...opened, tx])
      })
    return writeAll(opened)
  }
  const writeAll = async (opened: readonly Db[]): Promise<T[]> => {
    const results = await Promise.allSettled(opened.map((tx, i) => work(tx, targets[i]!)))
    const values = results.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
    // The last thing before the commit: others who came just now get their places too, and wait.
    for (const tx of opened) await placeNewcomers(tx)
    return values
  }
  return open(targets, [])
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
  plans: readonly Plan[],
): Partial<Record<EnvironmentName, ImportReport>> =>
  Object.fromEntries(targets.map(({ name }, i) => [name, toReport(plans[i]!)]))

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
