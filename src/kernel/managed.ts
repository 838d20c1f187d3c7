import type { PersonCaller } from './caller.ts'
import type { Db, Tx } from './database/database.ts'
import { fail } from './errors.ts'

interface ManagedKind<Row> {
  find(db: Db, query: { person: number; key: string }): Promise<Row | undefined>
  lock(tx: Tx, key: string): Promise<unknown>
  /** Tells whether the person manages the row. Not needed if `find` returns only rows that the person manages. */
  isManaged?(row: Row): boolean
  readonly refusal: string
}

/**
 * Creates functions that read rows of one kind, such as classes, for the people who manage them. For a row that the
 * caller does not manage they throw the same error as for a row that does not exist.
 */
export function managed<Row>({ find, lock, isManaged = () => true, refusal }: ManagedKind<Row>) {
  const read = async (db: Db, who: PersonCaller, key: string): Promise<Row> => {
    const row = await find(db, { person: who.personId, key })
    if (row === undefined || !isManaged(row)) throw fail('forbidden', refusal)
    return row
  }
  return {
    read,
    /** Locks the row until the transaction ends, then checks the caller's rights, so that the check is up to date. */
    async lock(tx: Tx, who: PersonCaller, key: string): Promise<Row> {
      await lock(tx, key)
      return read(tx, who, key)
    },
  }
}
