import { hash } from 'node:crypto'
import type { Agent } from './statement.ts'

/**
 * The one identifier of an agent or a group as text: equal where the specification says that two are the same. Undefined
 * for an anonymous group, which equals nothing. Only what is case-insensitive by itself is lowered: the domain of an
 * address (xAPI-Data 2.3.1) and hex digits. IRIs and account names are compared character by character (3.1).
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

/** The agent's own identifier and those of its members, whom filters find as well. */
export function identifyAll(agent: Agent): string[] {
  const own = identify(agent)
  const members = (agent.member ?? []).map(identify).filter((text) => text !== undefined)
  return own === undefined ? members : [own, ...members]
}

/** 128 bits of SHA-256, written as a UUID: a key that needs no dictionary. */
export function keyOf(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

// The word in front keeps apart what is written alike: an activity, a verb and an openid may share an IRI.
export const agentText = (identifier: string): string => `agent ${identifier}`
export const activityText = (iri: string): string => `activity ${iri}`
export const verbText = (iri: string): string => `verb ${iri}`
export const registrationText = (uuid: string): string => `registration ${uuid.toLowerCase()}`
