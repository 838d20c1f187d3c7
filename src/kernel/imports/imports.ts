import { recordAudit } from '../audit/audit.ts'
import type { Caller } from '../caller.ts'
import type { EnvironmentName } from '../config.ts'
import type { Db, Tx } from '../database/database.ts'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { carryOut, countEntries, keepParts } from './carry-out.ts'
import { splitPlan } from './parts.ts'
import { fitPlan, planFile, type SectionPlan } from './plan.ts'
import { checkFile, type ImportEntry, type ImportFile, ImportRefused, keyOf } from './rules.ts'
import { type ImportSection, importSections, type Mistake, type Preparation, type PreparedSecrets } from './section.ts'
import * as store from './store.ts'
import { checkHere, findDangling, type ImportEnvironment, type ReadWorld, readWorld } from './world.ts'

/** An environment into which a file is imported. */
export interface ImportTarget extends ImportEnvironment {
  readonly db: Db & { readonly schema: string }
  readonly get: Environment['get']
}

export interface ImportOptions {
  /** The parsed JSON of the import file. */
  readonly content: unknown
  /** If true, reports what the import would change, but writes nothing. */
  readonly isDryRun?: boolean
  readonly hashes?: Preparation['hashes']
  readonly onProgress?: (done: number, total: number, label: string) => void
  /** Called when the import has been accepted. From then on the platform guarantees to write it. */
  readonly onAccepted?: () => void
}

export interface Counts {
  readonly created: number
  readonly updated: number
  readonly unchanged: number
}
/** Numbers of created, updated and unchanged entries, by section. */
export type ImportReport = Readonly<Record<string, Counts>>

/**
 * Imports a file into all of the given environments, or into none. The file is checked as a whole and accepted with one
 * commit, which stores the parts to write for each environment. The parts are then written by this process or, if it
 * ends, by any other process of the platform.
 */
export async function importContent(
  targets: readonly ImportTarget[],
  who: Caller,
  what: ImportOptions,
): Promise<Partial<Record<EnvironmentName, ImportReport>>> {
  const { isDryRun = false, hashes, onProgress = () => {} } = what
  const sections = targets[0]!.get(importSections)
  const { mistakes, references, file } = checkFile(sections, what.content, who.at)
  // Writes the remaining parts of earlier imports first, because the checks below depend on their result.
  if (mistakes.length === 0) await finishEarlier(targets, isDryRun)
  const before = await Promise.all(targets.map((target) => readWorld(target.db, target, file, who.at)))
  refuseMistakes([...mistakes, ...before.flatMap((world) => findDangling(references, world))])
  const here = await Promise.all(targets.map(({ db }, i) => checkHere(db, sections, file, before[i]!)))
  refuseMistakes([...new Set(here.flat())])
  const prepared = await prepareSections(sections, file, before, { isDryRun, hashes, onProgress })
  const plan = async (db: Db, target: ImportTarget, now: ReadWorld) => {
    const was = before[targets.indexOf(target)]!
    const plans = await planFile(db, sections, hideSecrets(prepared, file, { was, now }, target.get), now)
    refuseMistakes((await fitPlan(db, plans, now)).mistakes)
    return plans
  }
  if (isDryRun) return toReports(targets, await Promise.all(targets.map((one, i) => plan(one.db, one, before[i]!))))

  const decideFor = async (tx: Tx, target: ImportTarget) => {
    // The file is checked again, now that no other import can write.
    const now = await readWorld(tx, target, file, who.at)
    refuseMistakes(findDangling(references, now))
    refuseMistakes(await checkHere(tx, sections, file, now))
    const plans = await plan(tx, target, now)
    const parts = await splitPlan(tx, plans)
    await keepParts(tx, who, parts)
    await recordAudit(tx, who, { action: 'import', detail: summarise(toReport(plans)) })
    return { plans, entries: parts.reduce((sum, part) => sum + countEntries(part), 0) }
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
  return toReports(
    targets,
    decided.map(({ plans }) => plans),
  )
}

type PreparedSections = ReadonlyMap<ImportSection, PreparedSecrets<object, unknown> | undefined>

/** Hashes the secrets in the file. Hashing is slow, so it happens before the import is accepted. */
async function prepareSections(
  sections: readonly ImportSection[],
  file: ImportFile,
  worlds: readonly ReadWorld[],
  how: Preparation,
): Promise<PreparedSections> {
  const prepared = new Map<ImportSection, PreparedSecrets<object, unknown> | undefined>()
  for (const section of sections) {
    const found = worlds.map((world) => world.found.get(section.name)!)
    prepared.set(section, await section.prepare?.(file[section.name]!, found, how))
  }
  return prepared
}

/**
 * Returns the file for one environment, with hashes instead of secrets. Entries that were deleted while the secrets
 * were being hashed, which can take long, are left out.
 */
const hideSecrets = (
  prepared: PreparedSections,
  file: ImportFile,
  { was, now }: { readonly was: ReadWorld; readonly now: ReadWorld },
  get: Environment['get'],
): ImportFile =>
  Object.fromEntries(
    [...prepared].map(([section, how]) => [
      section.name,
      file[section.name]!.flatMap((entry) => {
        const key = keyOf(section, entry)!
        const known = { was: was.find(section, key), is: now.find(section, key) }
        if (known.was && !known.is) return []
        return [how ? (how.hide(entry, known, get) as ImportEntry) : entry]
      }),
    ]),
  )

const arrivesLater = ({ message }: Error): Error =>
  fail(
    'notReady',
    `The file was accepted, and the rest of it will be written by the platform while it runs, or by the next import. For now: ${message}`,
  )

/** Writes the remaining parts of earlier imports. */
export const finishImports = (targets: readonly ImportTarget[]): Promise<void> => finishEarlier(targets, false)

/** Writes the remaining parts of earlier imports. A dry run must not write, so it is refused if any part remains. */
async function finishEarlier(targets: readonly ImportTarget[], isDryRun: boolean): Promise<void> {
  for (const target of targets) {
    if (!(await target.db.first(store.findFirstPart, {}))) continue
    if (isDryRun)
      throw fail(
        'conflict',
        'An earlier import is not finished yet: keep the platform running, or import again, and try again',
      )
    await carryOut(target, () => {})
  }
}

function refuseMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new ImportRefused(mistakes)
}

/**
 * Accepts the import for all targets with one commit. Writes the remaining parts of earlier imports first, because the
 * plan depends on their result.
 */
async function decideForAll<T>(
  targets: readonly ImportTarget[],
  decide: (tx: Tx, target: ImportTarget) => Promise<T>,
): Promise<T[]> {
  const decideOnce = async (tx: Tx): Promise<T[] | 'unfinished'> => {
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

const toReport = (plans: readonly SectionPlan[]): ImportReport =>
  Object.fromEntries(
    plans.map(({ section, entries, unchanged }) => {
      const created = entries.filter(({ id }) => id === undefined).length
      return [section.name, { created, updated: entries.length - created, unchanged }]
    }),
  )

const toReports = (
  targets: readonly ImportTarget[],
  plans: readonly (readonly SectionPlan[])[],
): Partial<Record<EnvironmentName, ImportReport>> =>
  Object.fromEntries(targets.map(({ name }, i) => [name, toReport(plans[i]!)]))

/** Formats the counts for the audit log, such as `people: 3 created, 1 updated, 0 unchanged`. */
const summarise = (report: ImportReport): Record<string, string> =>
  Object.fromEntries(
    Object.entries(report).map(([section, { created, updated, unchanged }]) => [
      section,
      `${created} created, ${updated} updated, ${unchanged} unchanged`,
    ]),
  )

/** True if the environment has never been used: it has no people, apps or audit entries. */
export const isUntouched = async (db: Db): Promise<boolean> => (await db.first(store.findTraces, {}))?.any === false
