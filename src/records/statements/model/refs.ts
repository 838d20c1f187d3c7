import {
  activityText,
  agentText,
  deriveKey,
  identify,
  identifyAll,
  keyOf,
  registrationText,
  verbText,
} from './agents.ts'
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

/**
 * The positions in a statement where an agent, activity or verb can occur. These numbers are stored, so they must not
 * change.
 */
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
  // 14 is REFERS and 15 is SENDER (see below): no filter of the specification uses them.
  // The following are positions in a sub-statement.
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

type RoleName = keyof typeof ROLES

/** A key by which filters find a statement, and the role that the agent, activity or verb with this key has in it. */
export interface Ref {
  readonly key: string
  readonly role: number
}

/** Added to a role if the position is in a sub-statement. */
const SUB = 16

/**
 * The roles that each filter of the statements resource matches (xAPI-Communication 2.1.3). Version 2.0 adds context
 * agents and context groups.
 */
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

export const rolesFor = (filter: Filter): number[] => FILTERS[filter].map((name) => ROLES[name])

/**
 * Returns the key of an agent or an identified group. An anonymous group has no key, so as a filter it matches nothing.
 */
export const keyOfAgent = (agent: Agent): string | undefined => {
  const identifier = identify(agent)
  return identifier === undefined ? undefined : keyOf(agentText(identifier))
}
export const keyOfActivity = (iri: string): string => keyOf(activityText(iri))
export const keyOfVerb = (iri: string): string => keyOf(verbText(iri))
export const keyOfRegistration = (uuid: string): string => keyOf(registrationText(uuid))

/**
 * Lists the keys by which filters find a statement, with one entry for each role. The keys of statements that it refers
 * to are not included; they are added when the statement is stored.
 */
export function refsOf(statement: Statement): Ref[] {
  // A key often occurs several times. Its roles are collected as the bits of a number.
  const rolesOf = new Map<string, number>()
  const add = (key: string, role: number) => rolesOf.set(key, (rolesOf.get(key) ?? 0) | (1 << role))
  const addAgent = (agent: Agent | undefined, role: number) => {
    if (agent) for (const identifier of identifyAll(agent)) add(keyOf(agentText(identifier)), role)
  }
  const addParts = ({ actor, object, context }: Statement | SubStatement, sub: number) => {
    addAgent(actor, ROLES.actor + sub)
    addObject(object as StatementObject, ROLES.object + sub)
    if (context) addContext(context, sub)
  }
  const addObject = (object: StatementObject, role: number) => {
    if (isAgent(object)) addAgent(object, role)
    else if (isActivity(object)) add(keyOfActivity(object.id), role)
  }
  const addContext = (context: Context, sub: number) => {
    addAgent(context.instructor, ROLES.instructor + sub)
    addAgent(context.team, ROLES.team + sub)
    for (const { agent } of context.contextAgents ?? []) addAgent(agent, ROLES.contextAgent + sub)
    for (const { group } of context.contextGroups ?? []) addAgent(group, ROLES.contextGroup + sub)
    for (const kind of CONTEXT_ACTIVITIES)
      for (const { id } of toArray(context.contextActivities?.[kind] ?? [])) add(keyOfActivity(id), ROLES[kind] + sub)
  }

  addParts(statement, 0)
  if (isSubStatement(statement.object)) addParts(statement.object, SUB)
  addAgent(statement.authority, ROLES.authority)
  add(keyOfVerb(statement.verb.id), ROLES.verb)
  if (statement.context?.registration) add(keyOfRegistration(statement.context.registration), ROLES.registration)

  const refs: Ref[] = []
  for (const [key, bits] of rolesOf)
    for (let role = 1; role < 32; role++) if (bits & (1 << role)) refs.push({ key, role })
  return refs
}

/**
 * Returns the id of the statement that this statement refers to or voids. Filters that match the target also match this
 * statement (2.1.3).
 */
export const targetOf = ({ object }: Statement): string | undefined =>
  isStatementRef(object) ? object.id.toLowerCase() : undefined

/** The role of the key by which the statements that refer to a target are found. */
export const REFERS = 14
/** Not cached, because almost every statement has another id. */
export const keyOfTarget = (statementId: string): string => deriveKey(`statement ${statementId}`)

/** The role of the sender's key. Callers who may read only their own statements find them by this key. */
export const SENDER = 15
export const keyOfSender = (senderKey: string): string => keyOf(`sender ${senderKey}`)

/** Added to the role of a key that was copied from a referenced statement. */
export const COPIED = 32
/** Extends a filter so that it also matches copied keys. */
export const withCopied = <T extends { readonly roles: readonly number[] }>(wanted: T): T => ({
  ...wanted,
  roles: [...wanted.roles, ...wanted.roles.map((role) => role + COPIED)],
})
