import type { Caller } from '../caller.ts'
import type { Db, Tx } from '../database/database.ts'
import { type ImportEntry, type ImportFile, keyOf } from './rules.ts'
import type { Change, ImportSection, ImportTie, Mistake } from './section.ts'
import type { ReadWorld } from './world.ts'

/** The changes that an import will make to one section of an environment. */
export interface SectionPlan {
  readonly section: ImportSection
  /** Entries that are new, or have a changed field or tie. */
  readonly entries: readonly PlannedEntry[]
  readonly unchanged: number
  readonly ties: readonly TiePlan[]
}

export interface PlannedEntry extends Change<unknown> {
  readonly entry: ImportEntry
  /** True if the entry's own fields are unchanged, so that at most its ties change. */
  readonly isSame: boolean
}

export interface TiePlan {
  readonly tie: ImportTie
  /** By the key of the entry. */
  readonly changes: ReadonlyMap<string, Change<unknown>>
}

export async function planFile(
  db: Db,
  sections: readonly ImportSection[],
  file: ImportFile,
  world: ReadWorld,
): Promise<SectionPlan[]> {
  const plans: SectionPlan[] = []
  for (const section of sections) plans.push(await planSection(db, section, file[section.name] ?? [], world))
  return plans
}

async function planSection(
  db: Db,
  section: ImportSection,
  entries: readonly ImportEntry[],
  world: ReadWorld,
): Promise<SectionPlan> {
  const all = entries.map((entry) => {
    const key = keyOf(section, entry)!
    const found = world.find(section, key)
    return { entry, key, found, id: found?.id, ...section.plan(entry, found, world) }
  })
  const known = all.flatMap(({ id, entry }) => (id === undefined ? [] : [{ id, entry }]))
  const ties: TiePlan[] = []
  for (const tie of entries.length > 0 ? (section.ties ?? []) : []) {
    const state = await tie.read(db, known, world)
    const changes = all.flatMap(({ entry, key, id, found }) => {
      const change = tie.plan(entry, found, state, world)
      return change === undefined ? [] : [[key, { key, id, change }] as const]
    })
    ties.push({ tie, changes: new Map(changes) })
  }
  const isUnchanged = ({ key, id, isSame }: PlannedEntry) =>
    id !== undefined && isSame && ties.every(({ changes }) => !changes.has(key))
  const changed = all.filter((entry) => !isUnchanged(entry))
  return { section, entries: changed, unchanged: all.length - changed.length, ties }
}

/** Separates changes that would exceed a limit from those that fit, and reports the former as mistakes. */
export async function fitPlan(
  db: Db,
  plans: readonly SectionPlan[],
  world: ReadWorld,
): Promise<{ mistakes: readonly Mistake[]; fitting: readonly SectionPlan[] }> {
  const mistakes: Mistake[] = []
  const fitTie = async ({ tie, changes }: TiePlan): Promise<TiePlan> => {
    const fit = await tie.fit?.(db, [...changes.values()], world)
    if (!fit) return { tie, changes }
    mistakes.push(...fit.mistakes)
    return { tie, changes: new Map(fit.fitting.map((one) => [one.key, one])) }
  }
  const fitting: SectionPlan[] = []
  for (const plan of plans) {
    const ties: TiePlan[] = []
    for (const tie of plan.ties) ties.push(await fitTie(tie))
    fitting.push({ ...plan, ties })
  }
  return { mistakes, fitting }
}

/**
 * Writes the plan with a few statements. The caller has already locked the affected rows. All entries are written
 * before the ties between them.
 */
export async function writePlan(tx: Tx, who: Caller, plans: readonly SectionPlan[], world: ReadWorld): Promise<void> {
  for (const { section, entries } of plans) {
    const changes = entries.filter(({ id, isSame }) => id === undefined || !isSame)
    if (changes.length > 0) world.add(section, await section.write(tx, who, changes, world))
  }
  for (const { section, ties } of plans) {
    for (const { tie, changes } of ties) {
      const tied = [...changes.values()].map((one) => ({ ...one, id: one.id ?? world.idOf(section, one.key) }))
      if (tied.length > 0) await tie.write(tx, who, tied, world)
    }
  }
  for (const { section } of plans) await section.finish?.(tx)
}
