import type { Db } from '../database/database.ts'
import { batches, gather } from './batches.ts'
import type { PlannedEntry, SectionPlan, TiePlan } from './plan.ts'
import type { ImportEntry, ImportFile } from './rules.ts'
import { keyOf } from './rules.ts'

/*
 * An import is accepted as a whole and written in parts. Each part is a small import file that is written in its own
 * transaction. So a person whom the import changes, or who shares a search word with a new person, waits for one part
 * only. All entries are written before the ties between them.
 */

/**
 * Maximum work in a part, in units of one entry. A part should take at most a quarter of a second, because the people
 * whom it changes may have to wait for it.
 */
const WORK = 200
/** Work of writing one tie, in units of one entry. */
const WORK_OF_TIE = 0.1
/** Maximum number of ties in a part. Each friend named in a tie is locked while the part is written. */
const TIES = 400

type Fields = Readonly<Record<string, unknown>>

/** Splits the changes of a plan into parts, in the order in which they must be written. */
export async function splitPlan(db: Db, plans: readonly SectionPlan[]): Promise<ImportFile[]> {
  const nothing: ImportFile = Object.fromEntries(plans.map(({ section }) => [section.name, []]))
  const parts: ImportFile[] = []
  for (const plan of plans) {
    const { section, entries } = plan
    const known = entries.flatMap(({ id }) => id ?? [])
    const weights = (await section.weigh?.(db, known)) ?? new Map<number, number>()
    const changed = entries.flatMap((planned) => {
      const ties = pickTies(plan, 'with', planned)
      if (planned.id !== undefined && planned.isSame && Object.keys(ties).length === 0) return []
      const weight = 1 + (weights.get(planned.id ?? -1) ?? 0) + countTies(ties) * WORK_OF_TIE
      return [{ weight, entry: { ...pickFields(plan, planned), ...ties, isKnown: planned.id !== undefined } }]
    })
    for (const batch of gather(changed, WORK, ({ weight }) => weight))
      parts.push({ ...nothing, [section.name]: batch.map(({ entry }) => entry) })
  }
  for (const plan of plans) {
    const { section } = plan
    const tied = plan.entries.flatMap((planned) => {
      const key = { [section.key]: planned.entry[section.key] }
      return [...splitTies(plan, pickTies(plan, 'after', planned))].map((ties) => ({ ...key, ...ties, isKnown: true }))
    })
    const isOfOne = (one: ImportEntry, other: ImportEntry) => keyOf(section, one) === keyOf(section, other)
    // `isOfOne` keeps two pieces of the same entry out of one part.
    for (const batch of gather(tied, TIES, (entry) => 1 + countTies(tiesIn(plan, entry)), isOfOne))
      parts.push({ ...nothing, [section.name]: batch })
  }
  return parts
}

/**
 * Picks the fields to write. For an existing entry these are only the changed fields, because people may change its
 * other fields before the part is written.
 */
function pickFields({ section, ties }: SectionPlan, { id, entry, change }: PlannedEntry): Fields {
  if (id !== undefined && section.pick) return section.pick(entry, change) as Fields
  return Object.fromEntries(Object.entries(entry).filter(([name]) => ties.every(({ tie }) => tie.field !== name)))
}

const pickTies = ({ ties }: SectionPlan, when: 'with' | 'after', { key, entry }: PlannedEntry): Fields =>
  Object.fromEntries(
    ties.flatMap(({ tie, changes }) => {
      const planned = tie.when === when ? changes.get(key) : undefined
      return planned ? [[tie.field, tie.pick(entry, planned.change)]] : []
    }),
  )

const tiesIn = ({ ties }: SectionPlan, entry: Fields): Fields =>
  Object.fromEntries(ties.map(({ tie }: TiePlan) => [tie.field, entry[tie.field] ?? []]))

const countTies = (ties: Fields): number =>
  Object.values(ties).reduce<number>((sum, list) => sum + Object.keys(list as object).length, 0)

/**
 * Splits the ties of an entry if they exceed the maximum. A list that replaces the stored list is not split; a list
 * that only adds to it may be split.
 */
function* splitTies({ ties }: SectionPlan, picked: Fields): Generator<Fields> {
  if (Object.keys(picked).length === 0) return
  if (1 + countTies(picked) <= TIES) return yield picked
  for (const { tie } of ties) {
    const list = picked[tie.field]
    if (list === undefined) continue
    if (!tie.isAdded) yield { [tie.field]: list }
    else for (const batch of batches(list as readonly unknown[], TIES)) yield { [tie.field]: batch }
  }
}
