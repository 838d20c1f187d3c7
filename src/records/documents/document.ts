import type { Agent } from '../statements/model/statement.ts'

export type DocumentKind = 'state' | 'activity profile' | 'agent profile'

/** Identifies the owner of a document: an agent and an activity for state, one of the two for a profile. */
export interface DocumentContext {
  readonly kind: DocumentKind
  readonly agent?: Agent | undefined
  readonly activityId?: string | undefined
  /** A UUID in lower case. */
  readonly registration?: string | undefined
}

/** ETags without their quotes; `*` matches any ETag. */
export type Tags = '*' | readonly string[]

/** The headers If-Match and If-None-Match of a request. */
export interface Preconditions {
  readonly match: Tags | undefined
  readonly noneMatch: Tags | undefined
}

/**
 * Parses the ETags in a header. Weak tags count as strong ones, because tags are hashes of the contents and become weak
 * only when a proxy compresses the response. Tags without quotes are accepted, because the specification defines how a
 * tag is computed, and some clients send tags that they have computed themselves.
 */
export function parseTags(header: string | undefined): Tags | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  return [...header.matchAll(/(?:W\/)?"([^"]*)"|([^\s,"]+)/g)].map(([, quoted, bare]) =>
    (quoted ?? bare)!.toLowerCase(),
  )
}

/** Whether a document is JSON, which is required for merging. */
export const isJson = (contentType: string): boolean => /^application\/json\s*(?:;|$)/i.test(contentType)
