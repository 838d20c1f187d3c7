import type { Report, Statement } from './statement.ts'

/** The lanes of one environment, or a transaction: what every operation is given. */
export interface Db {
  readonly isTransaction: boolean
  all<P, R>(statement: Statement<P, R>, params: P): Promise<R[]>
  first<P, R>(statement: Statement<P, R>, params: P): Promise<R | undefined>
  /**
   * The rows one by one, of one moment and in little memory, as fast as they are read. Who leaves the loop gives the
   * connection back; who does not read for a minute, or takes longer than ten, loses it and the stream fails.
   */
  stream<P, R>(statement: Report<P, R>, params: P): AsyncGenerator<R, void, undefined>
  /**
   * Runs the work on one connection between BEGIN and COMMIT; inside a transaction the work joins the outer one.
   * An error rolls back and is thrown on. After a serialization failure or a deadlock the outermost work runs again,
   * up to three times more, so it must do nothing outside of the transaction: that belongs into `afterCommit`.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Work for after the outermost commit (at once outside of a transaction). It is dropped where that is rolled back. */
  afterCommit(work: () => void): void
  /** Hands a message to those who listen in this process, as if it had come from the database. */
  tellHere(message: string): void
}
