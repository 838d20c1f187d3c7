import type { Caller } from '../../../kernel/caller.ts'
import type { Statement } from '../model/statement.ts'

/** The platform's records that a statement is about, as internal ids. */
export interface Links {
  /** The person who is the actor. */
  readonly person?: number
  /** The person who sent the statement. */
  readonly sender?: number
  /** Whether the platform wrote the statement itself, from an event. */
  readonly own?: boolean
  readonly lesson?: number
  readonly course?: number
  readonly class?: number
  readonly enrolment?: number
  readonly attempt?: number
  readonly objective?: number
  readonly badge?: number
}

/** The bytes of an attachment, and their hash in lower case. */
export interface AttachmentContent {
  readonly sha2: string
  readonly bytes: Buffer
}

/** A valid statement that is complete except for `stored`, which is derived from `seq`. */
export interface NewStatement {
  readonly statement: Statement & { readonly id: string }
  readonly links?: Links
  readonly contents?: readonly AttachmentContent[]
  /** The JSON pointer of the statement in the request body, for faults; empty if the statement was sent alone. */
  readonly pointer?: string
}

/** The sender of statements: a key of the record store, an app, or the platform. */
export interface Sender extends Pick<Caller, 'at'> {
  readonly credentialId?: number
  readonly appId?: number | undefined
  /** The person whose share of storage the statements count for; none if a key or an operator sends them. */
  readonly personId?: number | undefined
  /** Identifies the sender, so that callers limited to their own statements find them. */
  readonly senderKey: string
  /** Whether the definitions in the sender's statements are stored and so become visible to all readers. */
  readonly defines?: boolean
  /** The home page of the platform's accounts, if the sender knows it. */
  readonly homePage?: string
}

export interface StoredStatements {
  /** The ids of all statements of the request, including those that were already stored. */
  readonly ids: string[]
  /** All statements with a `seq` up to this value can be read. */
  readonly through: number
}
