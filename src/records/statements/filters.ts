import { fail } from '../../kernel/errors.ts'
import { keyOf } from './agents.ts'
import { findAgentFaults } from './faults.ts'
import type { Filters } from './filters-schema.ts'
import type { Wanted } from './query.ts'
import { type Filter, keyOfActivity, keyOfAgent, keyOfRegistration, keyOfVerb, rolesFor } from './refs.ts'
import type { Agent, Version } from './statement.ts'
import { isIri, isUuid } from './syntax.ts'
import { isTimestamp, microsecondsOf } from './times.ts'

export { FilterFields } from './filters-schema.ts'

export interface ReadFilters {
  readonly wanted: readonly Wanted[]
  /** Numbers after the first, up to the second. */
  readonly after?: number
  readonly upTo?: number
}

/** What no statement has: an anonymous group is nobody in particular. */
const NOTHING = keyOf('nothing')

/** What the filters ask for, in the store's own terms; refuses what the specification does. */
export function readFilters(version: Version, input: Filters): ReadFilters {
  const { agent, verb, activity, registration, since, until } = input
  const wanted: Wanted[] = []
  const want = (key: string | undefined, filter: Filter) =>
    wanted.push({ key: key ?? NOTHING, roles: rolesFor(filter) })
  if (agent !== undefined) {
    const [fault] = findAgentFaults(agent, version, 1)
    if (fault) throw fail('validationFailed', `agent${fault.pointer} must ${fault.must}`)
    want(keyOfAgent(agent as Agent), input.related_agents ? 'related_agents' : 'agent')
  }
  if (verb !== undefined) want(keyOfVerb(readIri('verb', verb)), 'verb')
  if (activity !== undefined)
    want(keyOfActivity(readIri('activity', activity)), input.related_activities ? 'related_activities' : 'activity')
  if (registration !== undefined) {
    if (!isUuid(registration)) throw fail('validationFailed', 'registration must be a UUID')
    want(keyOfRegistration(registration), 'registration')
  }
  return {
    wanted,
    ...(since === undefined ? {} : { after: readMoment('since', since, version) }),
    ...(until === undefined ? {} : { upTo: readMoment('until', until, version) }),
  }
}

function readIri(name: string, text: string): string {
  if (!isIri(text))
    throw fail('validationFailed', `${name} must be an IRI with its scheme, such as https://example.com/x`)
  return text
}

function readMoment(name: string, text: string, version: Version): number {
  const number = isTimestamp(text, version) ? microsecondsOf(text) : undefined
  if (number === undefined)
    throw fail('validationFailed', `${name} must be a date and time, such as 2026-05-01T12:00:00.000Z`)
  return number
}
