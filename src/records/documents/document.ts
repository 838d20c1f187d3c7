import type { Agent } from '../statements/model/statement.ts'

export type DocumentKind = 'state' | 'activity profile' | 'agent profile'

/** The owner of a document: an agent and an activity for state, one of them for a profile. */
export interface DocumentContext {
  readonly kind: DocumentKind
  readonly agent?: Agent | undefined
  readonly activityId?: string | undefined
  /** In lower case. */
  readonly registration?: string | undefined
}

/** ETags without their quotes; `*` matches any. */
export type Tags = '*' | readonly string[]

/** The headers If-Match and If-None-Match of a request. */
export interface Preconditions {
  readonly match: Tags | undefined
  readonly noneMatch: Tags | undefined
}

/**
 * Parses the ETags in a header. A weak tag counts as a strong one: tags are hashes of the contents, and only a proxy
 * that compresses makes them weak. A tag without quotes counts too, because the specification says how tags are made,
 * and clients send those that they have computed.
 */
export function parseTags(header: string | undefined): Tags | undefined {
  if (header === undefined) return undefined
  if (header.trim() === '*') return '*'
  return [...header.matchAll(/(?:W\/)?"([^"]*)"|([^\s,"]+)/g)].map(([, quoted, bare]) =>
    (quoted ?? bare)!.toLowerCase(),
  )
}

/** Whether a document is JSON, so that it can be merged. */
export const isJson = (contentType: string): boolean => /^application\/json\s*(?:;|$)/i.test(contentType)
