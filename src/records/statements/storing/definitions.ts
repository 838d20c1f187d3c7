import type { Tx } from '../../../kernel/database/database.ts'
import type { RowOf } from '../../../kernel/database/statement.ts'
import { parseJson } from '../../../kernel/json.ts'
import { definedIn, mergeDefinitions } from '../model/activities.ts'
import { keyOfActivity } from '../model/refs.ts'
import type { Definition, Statement } from '../model/statement.ts'
import * as store from './store.ts'

type StoredDefinition = RowOf<typeof store.findDefinitions>

/** Reads the stored definitions of the activities that statements define. */
export async function findDefinitions(tx: Tx, statements: readonly Statement[]): Promise<readonly StoredDefinition[]> {
  const iris = new Set(statements.flatMap(definedIn).map(({ id }) => id))
  return iris.size > 0 ? tx.all(store.findDefinitions, { keys: [...iris].map(keyOfActivity) }) : []
}

/** A definition that statements change, and its stored text before. */
export interface ChangedDefinition {
  readonly key: string
  readonly iri: string
  readonly definition: string
  readonly before: string | undefined
}

/** Merges the definitions in statements into the stored definitions. Returns those that change. */
export function changeDefinitions(
  statements: readonly Statement[],
  stored: readonly StoredDefinition[],
): ChangedDefinition[] {
  const before = new Map(stored.map(({ iri, definition }) => [iri, definition]))
  const after = new Map<string, Definition>()
  for (const { id, definition } of statements.flatMap(definedIn)) {
    const text = before.get(id)
    // Fast path: most definitions are the same as the stored ones, which then need not be parsed.
    if (text !== undefined && !after.has(id) && JSON.stringify(definition) === text) continue
    const known = after.get(id) ?? (text === undefined ? undefined : (parseJson(text) as Definition))
    after.set(id, mergeDefinitions(known, definition))
  }
  return [...after]
    .map(([iri, definition]) => ({ iri, definition: JSON.stringify(definition), before: before.get(iri) }))
    .filter(({ definition, before }) => before !== definition)
    .map((row) => ({ ...row, key: keyOfActivity(row.iri) }))
}
