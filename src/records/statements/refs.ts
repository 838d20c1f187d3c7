import { activityText, agentText, identify, identifyAll, keyOf, registrationText, verbText } from './agents.ts'
import {
  type Agent,
  CONTEXT_ACTIVITIES,
  type Context,
  isActivity,
  isAgent,
  isStatementRef,
  isSubStatement,
  type Statement,
  type StatementObject,
  type SubStatement,
  toArray,
} from './statement.ts'

/** In which place of a statement something stands. The numbers are stored: they are never given to another place. */
export const ROLES = {
  actor: 1,
  object: 2,
  verb: 3,
  registration: 4,
  authority: 5,
  instructor: 6,
  team: 7,
  contextAgent: 8,
  contextGroup: 9,
  parent: 10,
  grouping: 11,
  category: 12,
  other: 13,
  // 14 is a reference to another statement, 15 the sender (storing.ts): no filter looks there.
  // The places of a sub-statement.
  subActor: 17,
  subObject: 18,
  subInstructor: 22,
  subTeam: 23,
  subContextAgent: 24,
  subContextGroup: 25,
  subParent: 26,
  subGrouping: 27,
  subCategory: 28,
  subOther: 29,
} as const

export type RoleName = keyof typeof ROLES
export type Role = (typeof ROLES)[RoleName]
export type Ref = { key: string; role: Role }

/** A place of a sub-statement has the number of the same place of a statement, and this. */
const SUB = 16

/** What each filter of the statements resource looks at (xAPI-Communication 2.1.3; context agents and groups: 2.0). */
const FILTERS = {
  agent: ['actor', 'object'],
  activity: ['object'],
  verb: ['verb'],
  registration: ['registration'],
  related_agents: [
    'actor',
    'object',
    'authority',
    'instructor',
    'team',
    'contextAgent',
    'contextGroup',
    'subActor',
    'subObject',
    'subInstructor',
    'subTeam',
    'subContextAgent',
    'subContextGroup',
  ],
  related_activities: [
    'object',
    'parent',
    'grouping',
    'category',
    'other',
    'subObject',
    'subParent',
    'subGrouping',
    'subCategory',
    'subOther',
  ],
} as const satisfies Record<string, readonly RoleName[]>

export type Filter = keyof typeof FILTERS

export const rolesFor = (filter: Filter): Role[] => FILTERS[filter].map((name) => ROLES[name])

/** The key that a filter's value is looked up by. An anonymous group has none: it matches nothing. */
export const keyOfAgent = (agent: Agent): string | undefined => {
  const identifier = identify(agent)
  return identifier === undefined ? undefined : keyOf(agentText(identifier))
}
export const keyOfActivity = (iri: string): string => keyOf(activityText(iri))
export const keyOfVerb = (iri: string): string => keyOf(verbText(iri))
export const keyOfRegistration = (uuid: string): string => keyOf(registrationText(uuid))

/** Everything that filters may find a statement by, each once for each place. What a referenced statement adds is the store's to copy. */
export function refsOf(statement: Statement): Ref[] {
  // One text stands in several places as a rule: it is hashed once, and its places are bits of a number.
  const places = new Map<string, number>()
  const add = (text: string, role: number) => places.set(text, (places.get(text) ?? 0) | (1 << role))
  const addAgent = (agent: Agent | undefined, role: number) => {
    if (agent) for (const identifier of identifyAll(agent)) add(agentText(identifier), role)
  }
  const addParts = ({ actor, object, context }: Statement | SubStatement, sub: number) => {
    addAgent(actor, ROLES.actor + sub)
    addObject(object as StatementObject, ROLES.object + sub)
    if (context) addContext(context, sub)
  }
  const addObject = (object: StatementObject, role: number) => {
    if (isAgent(object)) addAgent(object, role)
    else if (isActivity(object)) add(activityText(object.id), role)
  }
  const addContext = (context: Context, sub: number) => {
    addAgent(context.instructor, ROLES.instructor + sub)
    addAgent(context.team, ROLES.team + sub)
    for (const { agent } of context.contextAgents ?? []) addAgent(agent, ROLES.contextAgent + sub)
    for (const { group } of context.contextGroups ?? []) addAgent(group, ROLES.contextGroup + sub)
    for (const kind of CONTEXT_ACTIVITIES)
      for (const { id } of toArray(context.contextActivities?.[kind] ?? [])) add(activityText(id), ROLES[kind] + sub)
  }

  addParts(statement, 0)
  if (isSubStatement(statement.object)) addParts(statement.object, SUB)
  addAgent(statement.authority, ROLES.authority)
  add(verbText(statement.verb.id), ROLES.verb)
  if (statement.context?.registration) add(registrationText(statement.context.registration), ROLES.registration)

  const refs: Ref[] = []
  for (const [text, bits] of places) {
    const key = keyOf(text)
    for (let role = 1; role < 32; role++) if (bits & (1 << role)) refs.push({ key, role: role as Role })
  }
  return refs
}

/** The statement that this one targets: filters that find that one find this one too (2.1.3), and a voiding statement voids it. */
export const targetOf = ({ object }: Statement): string | undefined =>
  isStatementRef(object) ? object.id.toLowerCase() : undefined
