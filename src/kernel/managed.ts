import type { PersonCaller } from './caller.ts'
import type { Db, Tx } from './database/database.ts'
import { fail } from './errors.ts'

interface ManagedKind<Row> {
  find(db: Db, query: { person: number; key: string }): Promise<Row | undefined>
  lock(tx: Tx, key: string): Promise<unknown>
  /** Whether the person manages the row; not needed if `find` returns only rows that they manage. */
  isManaged?(row: Row): boolean
  readonly refusal: string
}

/**
 * Reads rows of one kind, such as classes, for the people who manage them. A row that the caller does not manage is
 * refused like one that does not exist.
 */
export function managed<Row>({ find, lock, isManaged = () => true, refusal }: ManagedKind<Row>) {
  const read = async (db: Db, who: PersonCaller, key: string): Promise<Row> => {
    const row = await find(db, { person: who.personId, key })
    if (row === undefined || !isManaged(row)) throw fail('forbidden', refusal)
    return row
  }
  return {
    read,
    /** Locks the row until the transaction ends. Rights are checked under the lock, so they cannot be outdated. */
    async lock(tx: Tx, who: PersonCaller, key: string): Promise<Row> {
      await lock(tx, key)
      return read(tx, who, key)
    },
  }
}
