import type { Db } from '../../kernel/database/database.ts'
import { inEnglish, type Languages } from './languages.ts'
import * as store from './store.ts'

/** A unit or block of a package, with what a lesson takes from it. */
export interface OutlineItem {
  readonly position: number
  readonly kind: 'unit' | 'block'
  /** Id that the author of the package gave it. */
  readonly id: string
  /** In English, or else in the first language. */
  readonly title: string
  readonly description: string
  /** Position of the block at the top in which it is, however deep; null at the top itself. */
  readonly block: number | null
  /** Ids of the objectives of the item and of the blocks around it. */
  readonly objectives: readonly string[]
}

/** A unit, block or objective, with what a course takes from it. */
export type OutlineTexts = Pick<OutlineItem, 'id' | 'title' | 'description'>

/** Finds a package of an organisation, and how many units it has. */
export const findPackage = (db: Db, what: { readonly organisation: string; readonly key: string }) =>
  db.first(store.findOfOrganisation, what)

const PAGE_ITEMS = 100

/** Reads the items of a package, in the order of the document. */
export async function readOutline(db: Db, { id }: { readonly id: number }): Promise<OutlineItem[]> {
  const items: OutlineItem[] = []
  let top: number | null = null
  const objectivesAt = new Map<number | null, readonly string[]>()
  for (;;) {
    const rows = await db.all(store.listOutline, {
      package: id,
      after: items.at(-1)?.position ?? -1,
      limit: PAGE_ITEMS,
    })
    for (const { position, parent, kind, id, title, description, ...row } of rows) {
      if (parent === null) top = position
      const objectives = [...(objectivesAt.get(parent) ?? []), ...(JSON.parse(row.objectives) as string[])]
      objectivesAt.set(position, objectives)
      items.push({
        ...{ position, id, kind: kind as OutlineItem['kind'], block: parent === null ? null : top },
        ...{ title: textOf(title), description: textOf(description), objectives },
      })
    }
    if (rows.length < PAGE_ITEMS) return items
  }
}

/** Reads the objectives of the course that a package describes. */
export async function readObjectives(db: Db, { id }: { readonly id: number }): Promise<OutlineTexts[]> {
  const { objectives } = JSON.parse((await db.first(store.findStructure, { package: id }))!.structure) as {
    objectives: readonly { id: string; title: Languages; description: Languages }[]
  }
  return objectives.map(({ id, title, description }) => ({
    ...{ id, title: inEnglish(title), description: inEnglish(description) },
  }))
}

const textOf = (texts: string | null): string => (texts === null ? '' : inEnglish(JSON.parse(texts) as Languages))
