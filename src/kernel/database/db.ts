import type { Report, Statement } from './statement.ts'

interface Queries {
  all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  first<P, R>(statement: Statement<P, R>, params: P): Promise<R | undefined>
  /**
   * Streams rows of one snapshot with constant memory. Leaving the loop returns the connection. A consumer that does
   * not read for one minute, or takes longer than ten, loses the connection, and the stream fails.
   */
  stream<P, R>(statement: Report<P, R>, params: P): AsyncGenerator<R, void, undefined>
  /**
   * Runs the work on one connection between BEGIN and COMMIT; inside a transaction the work joins the outer one. An
   * error rolls back and is rethrown. After a serialization failure or a deadlock the outermost work runs again, up to
   * three more times. So it must have no effects outside the transaction: those belong in `afterCommit`.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Runs work after the outermost commit, or immediately outside a transaction. A rollback drops it. */
  afterCommit(work: () => void): void
  /** Delivers a message to listeners in this process, as if it had come from the database. */
  tellHere(message: string): void
}

/** The lanes of one environment. Each statement is a transaction of its own. */
export interface Lanes extends Queries {
  readonly isTransaction: false
}

/** A running transaction. Functions that lock rows, emit events or need several statements to be atomic require it. */
export interface Tx extends Queries {
  readonly isTransaction: true
}

/** The argument of every operation: the lanes, or the transaction of an Idempotency-Key. */
export type Db = Lanes | Tx
