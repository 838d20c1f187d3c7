import {
  type Activity,
  type Agent,
  COMPONENT_LISTS,
  CONTEXT_ACTIVITIES,
  type Component,
  type Context,
  type Definition,
  isActivity,
  isAgent,
  isSubStatement,
  type Statement,
  type SubStatement,
  toArray,
  type Verb,
} from '../statements/model/statement.ts'
import { toUtc } from '../statements/model/times.ts'
import { pickLanguage } from './languages.ts'

/** The functions with which `rewrite` replaces the agents, activities and verbs of a statement. */
type Rewriting = {
  agent: (agent: Agent) => Agent
  activity: (activity: Activity) => Activity
  verb: (verb: Verb) => Verb
}

/** Copies a statement and rewrites its agents, activities and verbs, including those of its sub-statement. */
function rewrite<T extends Statement | SubStatement>(statement: T, by: Rewriting): T {
  const { actor, verb, object, context } = statement
  const { authority } = statement as Statement
  return {
    ...statement,
    actor: by.agent(actor),
    verb: by.verb(verb),
    object: rewriteObject(object, by),
    ...(context && { context: rewriteContext(context, by) }),
    ...(authority && { authority: by.agent(authority) }),
  }
}

function rewriteObject(object: Statement['object'], by: Rewriting): Statement['object'] {
  if (isSubStatement(object)) return rewrite(object, by)
  if (isAgent(object)) return by.agent(object) as typeof object
  return isActivity(object) ? by.activity(object) : object
}

function rewriteContext(context: Context, by: Rewriting): Context {
  const { instructor, team, contextActivities, contextAgents, contextGroups } = context
  return {
    ...context,
    ...(instructor && { instructor: by.agent(instructor) }),
    ...(team && { team: by.agent(team) }),
    ...(contextActivities && { contextActivities: mapActivities(contextActivities, by.activity) }),
    ...(contextAgents && { contextAgents: contextAgents.map((one) => ({ ...one, agent: by.agent(one.agent) })) }),
    ...(contextGroups && { contextGroups: contextGroups.map((one) => ({ ...one, group: by.agent(one.group) })) }),
  }
}

/**
 * Maps the activities of each kind of context activity. The result is always an array, even if a single activity was
 * sent (xAPI-Data 2.4.6.2).
 */
function mapActivities(activities: NonNullable<Context['contextActivities']>, map: (activity: Activity) => Activity) {
  const mapped: NonNullable<Context['contextActivities']> = {}
  for (const kind of CONTEXT_ACTIVITIES) {
    const some = activities[kind]
    if (some) mapped[kind] = toArray(some).map(map)
  }
  return mapped
}

/**
 * Implements `format=ids`: keeps only the identifiers of agents, groups, activities and verbs. An anonymous group keeps
 * the identifiers of its members.
 */
export const toIds = (statement: Statement): Statement =>
  rewrite(statement, { agent: toAgentId, activity: ({ id }) => ({ id }), verb: ({ id }) => ({ id }) })

function toAgentId({ objectType, mbox, mbox_sha1sum, openid, account, member }: Agent): Agent {
  const type = objectType && { objectType }
  if (mbox !== undefined) return { ...type, mbox }
  if (mbox_sha1sum !== undefined) return { ...type, mbox_sha1sum }
  if (openid !== undefined) return { ...type, openid }
  if (account !== undefined) return { ...type, account }
  return { ...type, member: (member ?? []).map(toAgentId) }
}

/**
 * Implements `format=canonical`: activities get their stored definitions, and each language map of an activity or verb
 * is reduced to one language. Agents are returned as they were sent.
 */
export const toCanonical = (
  statement: Statement,
  languages: readonly string[],
  known: ReadonlyMap<string, Definition> = new Map(),
): Statement =>
  rewrite(statement, {
    agent: (agent) => agent,
    activity: (activity) => {
      const definition = known.get(activity.id) ?? activity.definition
      return toCanonicalActivity(definition ? { ...activity, definition } : activity, languages)
    },
    verb: (verb) => (verb.display ? { ...verb, display: pickLanguage(verb.display, languages) } : verb),
  })

function toCanonicalActivity(activity: Activity, languages: readonly string[]): Activity {
  const { definition } = activity
  if (!definition) return activity
  const picked: Definition = { ...definition }
  if (definition.name) picked.name = pickLanguage(definition.name, languages)
  if (definition.description) picked.description = pickLanguage(definition.description, languages)
  for (const list of COMPONENT_LISTS) {
    const components = definition[list]
    if (components) picked[list] = components.map((one) => pickComponent(one, languages))
  }
  return { ...activity, definition: picked }
}

const pickComponent = (component: Component, languages: readonly string[]): Component =>
  component.description ? { ...component, description: pickLanguage(component.description, languages) } : component

/**
 * Properties that the store adds to a statement: `id` and `version` only if they are missing, `authority` always.
 * `stored` is not among them: it is derived from `seq`, and so is the `timestamp` of a statement that was sent without
 * one.
 */
export type Additions = {
  id: string
  authority: Agent
  version: string
  /** Whether to convert timestamps to UTC, which version 2.0 requires. */
  toUtc: boolean
}

/**
 * Returns the statement as it will be stored: with the additions and with context activities as arrays, otherwise as it
 * was sent.
 */
export function complete(
  sent: Statement,
  { toUtc: inUtc, authority, ...additions }: Additions,
): Statement & { id: string } {
  const { stored: _stored, ...rest } = sent
  const statement = withArrays({ ...additions, ...rest, authority })
  statement.id = statement.id.toLowerCase()
  if (isSubStatement(statement.object)) statement.object = withArrays({ ...statement.object })
  if (!inUtc) return statement
  if (statement.timestamp) statement.timestamp = toUtc(statement.timestamp)
  const { object } = statement
  if (isSubStatement(object) && object.timestamp) object.timestamp = toUtc(object.timestamp)
  return statement
}

/** Turns single context activities into arrays. Modifies its argument, so pass a copy. */
function withArrays<T extends Statement | SubStatement>(statement: T): T {
  const { context } = statement
  if (context?.contextActivities)
    statement.context = {
      ...context,
      contextActivities: mapActivities(context.contextActivities, (activity) => activity),
    }
  return statement
}
