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

/** Merges the definitions in statements into the stored definitions. */
export async function storeDefinitions(
  tx: Tx,
  statements: readonly Statement[],
  stored: readonly StoredDefinition[],
): Promise<void> {
  const sent = statements.flatMap(definedIn)
  if (sent.length === 0) return
  const before = new Map(stored.map(({ iri, definition }) => [iri, definition]))
  const after = new Map<string, Definition>()
  for (const { id, definition } of sent) {
    const text = before.get(id)
    const known = after.get(id) ?? (text === undefined ? undefined : (parseJson(text) as Definition))
    after.set(id, mergeDefinitions(known, definition))
  }
  const changed = [...after]
    .map(([iri, definition]) => ({ iri, definition: JSON.stringify(definition) }))
    .filter(({ iri, definition }) => before.get(iri) !== definition)
    .map((row) => ({ ...row, key: keyOfActivity(row.iri) }))
  if (changed.length > 0) await tx.all(store.upsertDefinitions, { rows: JSON.stringify(changed) })
}
