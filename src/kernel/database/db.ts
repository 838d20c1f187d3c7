import type { Report, Statement } from './statement.ts'

interface Queries {
  /** The object that `gatePerOwner` keeps gates for: the environment's database, or the transaction. */
  readonly owner: object
  all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  first<P, R>(statement: Statement<P, R>, params: P): Promise<R | undefined>
  /**
   * Streams the rows of one snapshot with constant memory. Leaving the loop returns the connection. If the consumer
   * does not read for one minute, or the whole stream takes longer than ten, the connection is closed and the stream
   * fails.
   */
  stream<P, R>(statement: Report<P, R>, params: P): AsyncGenerator<R, void, undefined>
  /**
   * Runs the work on one connection between BEGIN and COMMIT. Within a transaction, the work joins the outer
   * transaction. An error rolls back and is rethrown. After a serialization failure or a deadlock the outermost work
   * runs again, up to three more times. So the work must not have effects outside the transaction; pass those to
   * `afterCommit`.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /**
   * Runs the work after the outermost commit, or immediately if there is no transaction. After a rollback it is not
   * run.
   */
  afterCommit(work: () => void): void
  /** How old the results of lists and reports may be, in milliseconds: 0 unless they are read from a standby. */
  readonly lagMs: number
  /** Delivers a message to listeners in this process, as if it had arrived from the database. */
  tellHere(message: string): void
}

/** The database connections of one environment. Each statement runs in its own transaction. */
export interface Lanes extends Queries {
  readonly isTransaction: false
}

/**
 * A running transaction. It is required by functions that lock rows, emit events, or must run several statements
 * atomically.
 */
export interface Tx extends Queries {
  readonly isTransaction: true
  /**
   * Runs the last statement of the transaction and commits, in one round trip: locks are not held while the process is
   * busy with other work. In a nested transaction it does not commit.
   */
  finish<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
}

/** The database argument of every operation. It is a transaction if the request has an Idempotency-Key. */
export type Db = Lanes | Tx
