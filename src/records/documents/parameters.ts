import { fail } from '../../kernel/errors.ts'
import { failWithFaults, findAgentFaults } from '../statements/faults/faults.ts'
import { isIri, isUuid } from '../statements/model/forms.ts'
import type { Agent, Version } from '../statements/model/statement.ts'
import { instantOf, isTimestamp } from '../statements/model/times.ts'
import type { DocumentContext, DocumentKind } from './document.ts'

/** The query parameters of the three document resources together. */
export interface Parameters {
  readonly activityId?: string
  readonly agent?: unknown
  readonly registration?: string
  readonly stateId?: string
  readonly profileId?: string
  readonly since?: string
}

/** Reads the owner of a document from the parameters; refuses values that the specification does not allow. */
export function readContext(
  kind: DocumentKind,
  version: Version,
  { activityId, agent, registration }: Parameters,
): DocumentContext {
  if (activityId !== undefined && !isIri(activityId))
    throw fail('validationFailed', 'activityId must be an IRI with its scheme, such as https://example.com/x')
  if (registration !== undefined && !isUuid(registration)) throw fail('validationFailed', 'registration must be a UUID')
  if (agent !== undefined) checkAgent(agent, version)
  return { kind, activityId, agent: agent as Agent | undefined, registration: registration?.toLowerCase() }
}

/**
 * Throws if the agent parameter is not valid. Only version 2.0 allows groups, and only those with an identifier. In 1.0
 * a client sends an agent with the identifier of the group instead.
 */
function checkAgent(agent: unknown, version: Version): void {
  const faults = findAgentFaults(agent, version)
  if (faults.length > 0) throw failWithFaults(faults.map((fault) => ({ ...fault, pointer: `/agent${fault.pointer}` })))
  const { objectType, mbox, mbox_sha1sum: sum, openid, account } = agent as Agent
  if (objectType !== 'Group') return
  if (version === '1.0.3')
    throw fail('validationFailed', 'agent must be an Agent; send a group as an Agent with its identifier')
  if ((mbox ?? sum ?? openid ?? account) === undefined)
    throw fail('validationFailed', 'agent must have an identifier: an anonymous group has no documents')
}

export function readSince(version: Version, { since, stateId, profileId }: Parameters): Date | undefined {
  if (since === undefined) return undefined
  if (stateId !== undefined || profileId !== undefined)
    throw fail('validationFailed', 'since works only for lists: leave out since, or the id of the document')
  if (!isTimestamp(since, version))
    throw fail('validationFailed', 'since must be a date and time, such as 2026-05-01T12:00:00Z')
  return new Date(instantOf(since)!)
}
