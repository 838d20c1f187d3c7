import { hash } from 'node:crypto'
import { LruCache } from '../../../kernel/bounds/lru-cache.ts'
import type { Agent } from './statement.ts'

/**
 * Returns the identifier of an agent or a group as text; undefined for an anonymous group. By the specification, two
 * agents are the same exactly if these texts are equal. Only case-insensitive parts are converted to lower case: the
 * domain of an e-mail address (xAPI-Data 2.3.1) and hex digits. IRIs and account names are compared character by
 * character (3.1).
 */
export function identify(agent: Agent): string | undefined {
  if (agent.mbox !== undefined) return `mbox ${lowerDomain(agent.mbox)}`
  if (agent.mbox_sha1sum !== undefined) return `mbox_sha1sum ${agent.mbox_sha1sum.toLowerCase()}`
  if (agent.openid !== undefined) return `openid ${agent.openid}`
  // The text is unambiguous: an IRI contains no spaces, so the home page ends at the first space.
  if (agent.account !== undefined) return `account ${agent.account.homePage} ${agent.account.name}`
  return undefined
}

export function lowerDomain(mbox: string): string {
  const at = mbox.lastIndexOf('@')
  return mbox.slice(0, at) + mbox.slice(at).toLowerCase()
}

/** Lists the identifiers of an agent and of its members, because filters also find a group by its members. */
export function identifyAll(agent: Agent): string[] {
  const own = identify(agent)
  const members = (agent.member ?? []).map(identify).filter((text) => text !== undefined)
  return own === undefined ? members : [own, ...members]
}

/** The maximum number of cached keys, and the maximum length of their texts: 5 MB together. */
const MOST_CACHED = 10_000
const LONGEST_CACHED = 200
const cachedKeys = new LruCache<string>(MOST_CACHED)

/** Like `deriveKey`, but cached: most statements are about the same agents, verbs and activities. */
export function keyOf(text: string): string {
  if (text.length > LONGEST_CACHED) return deriveKey(text)
  const cached = cachedKeys.get(text)
  if (cached !== undefined) return cached
  const key = deriveKey(text)
  cachedKeys.set(text, key)
  return key
}

/**
 * Derives a key from a text: 128 bits of its SHA-256, written as a UUID. Because keys are computed, no dictionary table
 * has to be read before a write.
 */
export function deriveKey(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

// The prefixes keep keys of different kinds apart: an activity, a verb and an openid may have the same IRI.
export const agentText = (identifier: string): string => `agent ${identifier}`
export const activityText = (iri: string): string => `activity ${iri}`
export const verbText = (iri: string): string => `verb ${iri}`
export const registrationText = (uuid: string): string => `registration ${uuid.toLowerCase()}`
