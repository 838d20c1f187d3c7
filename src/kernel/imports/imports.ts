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
import { type ImportSection, importSections, type Mistake, type Prepared } from './section.ts'
import * as store from './store.ts'
import { checkHere, findDangling, type Place, type ReadWorld, readWorld } from './world.ts'

export { importJobs } from './carry-out.ts'

/** An environment that an import goes to. */
export interface ImportTarget extends Place {
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
/** By section. */
export type ImportReport = Readonly<Record<string, Counts>>

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
  const sections = targets[0]!.get(importSections)
  const { mistakes, references, file } = checkFile(sections, what.content, who.at)
  // What an earlier import has decided counts.
  if (mistakes.length === 0) await finishEarlier(targets, isDryRun)
  const before = await Promise.all(targets.map((target) => readWorld(target.db, target, file, who.at)))
  refuseMistakes([...mistakes, ...before.flatMap((world) => findDangling(references, world))])
  const here = await Promise.all(targets.map(({ db }, i) => checkHere(db, sections, file, before[i]!)))
  refuseMistakes([...new Set(here.flat())])
  const prepared = await prepareSections(sections, file, before, { isDryRun, onProgress })
  const plan = async (db: Db, target: ImportTarget, now: ReadWorld) => {
    const was = before[targets.indexOf(target)]!
    const plans = await planFile(db, sections, hideSecrets(prepared, file, { was, now }, target.get), now)
    refuseMistakes((await fitPlan(db, plans, now)).mistakes)
    return plans
  }
  if (isDryRun) return toReports(targets, await Promise.all(targets.map((one, i) => plan(one.db, one, before[i]!))))

  const decideFor = async (tx: Tx, target: ImportTarget) => {
    // Once more, now that no other import can write.
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

type PreparedSections = ReadonlyMap<ImportSection, Prepared<object, unknown> | undefined>

/** Hashes what is secret. It takes long, so it happens before anything is decided. */
async function prepareSections(
  sections: readonly ImportSection[],
  file: ImportFile,
  worlds: readonly ReadWorld[],
  how: { isDryRun: boolean; onProgress: NonNullable<ImportOptions['onProgress']> },
): Promise<PreparedSections> {
  const prepared = new Map<ImportSection, Prepared<object, unknown> | undefined>()
  for (const section of sections) {
    const found = worlds.map((world) => world.found.get(section.name)!)
    prepared.set(section, await section.prepare?.(file[section.name]!, found, how))
  }
  return prepared
}

/** A file for one environment. Much time may have passed since it was first read: who has left since then stays away. */
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
    `The file is accepted, and what is left of it will be written by the platform while it runs, or by the next import. For now: ${message}`,
  )

/** Writes what earlier imports have decided. */
export const finishImports = (targets: readonly ImportTarget[]): Promise<void> => finishEarlier(targets, false)

/** A dry run writes nothing, not even that. */
async function finishEarlier(targets: readonly ImportTarget[], isDryRun: boolean): Promise<void> {
  for (const target of targets) {
    if (!(await target.db.first(store.findFirstPart, {}))) continue
    if (isDryRun)
      throw fail(
        'conflict',
        'An earlier import is not finished yet: let the platform run, or import once more, and try again',
      )
    await carryOut(target, () => {})
  }
}

function refuseMistakes(mistakes: readonly Mistake[]): void {
  if (mistakes.length > 0) throw new ImportRefused(mistakes)
}

/** Decides for all targets with one commit. What an earlier import has decided is written before, so that it counts. */
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
