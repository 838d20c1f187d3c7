import { hash } from 'node:crypto'
import type { Agent } from './statement.ts'

/**
 * The identifier of an agent or a group as text. Two agents are the same by the specification exactly if these texts
 * are equal. An anonymous group has none. Only case-insensitive parts are lowered: the domain of an e-mail address
 * (xAPI-Data 2.3.1) and hex digits. IRIs and account names are compared character by character (3.1).
 */
export function identify(agent: Agent): string | undefined {
  if (agent.mbox !== undefined) return `mbox ${lowerDomain(agent.mbox)}`
  if (agent.mbox_sha1sum !== undefined) return `mbox_sha1sum ${agent.mbox_sha1sum.toLowerCase()}`
  if (agent.openid !== undefined) return `openid ${agent.openid}`
  // An IRI has no spaces, so the home page ends at the first one.
  if (agent.account !== undefined) return `account ${agent.account.homePage} ${agent.account.name}`
  return undefined
}

export function lowerDomain(mbox: string): string {
  const at = mbox.lastIndexOf('@')
  return mbox.slice(0, at) + mbox.slice(at).toLowerCase()
}

/** The identifiers of an agent and its members: filters find a group by its members too. */
export function identifyAll(agent: Agent): string[] {
  const own = identify(agent)
  const members = (agent.member ?? []).map(identify).filter((text) => text !== undefined)
  return own === undefined ? members : [own, ...members]
}

/** A key for a text: 128 bits of its SHA-256, written as a UUID. No dictionary table has to be read before a write. */
export function keyOf(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

// The prefix separates namespaces: an activity, a verb and an openid may have the same IRI.
export const agentText = (identifier: string): string => `agent ${identifier}`
export const activityText = (iri: string): string => `activity ${iri}`
export const verbText = (iri: string): string => `verb ${iri}`
export const registrationText = (uuid: string): string => `registration ${uuid.toLowerCase()}`
