import type { Statement } from './statement.ts'

/** What grows old: how old it gets, and the statement that removes up to a thousand that are older. */
export interface Age {
  readonly days: number
  readonly remove: Statement<{ before: Date }, unknown>
}
