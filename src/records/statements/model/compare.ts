import { keyOf, lowerDomain } from './agents.ts'
import {
  type Activity,
  type Agent,
  CONTEXT_ACTIVITIES,
  type Context,
  isAgent,
  isStatementRef,
  isSubStatement,
  type Result,
  SIGNATURE,
  type Statement,
  type StatementObject,
  type SubStatement,
  toArray,
} from './statement.ts'
import { cutDuration, instantOf } from './times.ts'

/**
 * A hash that two statements share if they are the same by xAPI-Data 2.3.1, which ignores changes that a store may
 * make. The timestamp is compared by `isSameTime`, because a statement without one gets one from the store.
 */
export const fingerprint = (statement: Statement): string => keyOf(`statement ${canonical(toCompared(statement))}`)

/** A missing timestamp matches any: the store may have set the other one. */
export function isSameTime(kept: string | undefined, sent: string | undefined): boolean {
  return kept === undefined || sent === undefined || instantOf(kept) === instantOf(sent)
}

/** Whether a statement that is sent again is the stored one, or a signed statement the one that was sent. */
export const isSame = (kept: Statement, sent: Statement): boolean =>
  isSameTime(kept.timestamp, sent.timestamp) && fingerprint(kept) === fingerprint(sent)

/** Leaves out id, stored, authority, version and timestamp, which a store may assign. */
function toCompared({ actor, verb, object, result, context, attachments = [] }: Statement | SubStatement): object {
  // The payload of a signature is the statement before it was signed (2.6), so signatures are left out.
  const others = attachments.filter(({ usageType }) => usageType !== SIGNATURE)
  return {
    actor: toComparedAgent(actor),
    // Its display is not part of the statement.
    verb: verb.id,
    object: isSubStatement(object) ? toComparedSub(object) : toComparedObject(object),
    result: result && toComparedResult(result),
    context: context && toComparedContext(context),
    attachments: others.length ? others.map((one) => ({ ...one, sha2: one.sha2.toLowerCase() })) : undefined,
  }
}

/** No store sets the timestamp of a sub-statement, so it counts. The same instant in another zone is the same. */
const toComparedSub = (sub: SubStatement): object => ({
  ...toCompared(sub),
  objectType: sub.objectType,
  timestamp: sub.timestamp && instantOf(sub.timestamp),
})

function toComparedObject(object: StatementObject) {
  if (isAgent(object)) return toComparedAgent(object)
  if (isStatementRef(object)) return { ...object, id: object.id.toLowerCase() }
  return toComparedActivity(object)
}

/** Definitions are not part of the statement. */
const toComparedActivity = ({ objectType, id }: Activity) => ({ objectType, id })

/** Names count. The order of members and the case of case-insensitive parts do not. */
function toComparedAgent(agent: Agent): unknown {
  const { member, mbox, mbox_sha1sum } = agent
  return {
    ...agent,
    mbox: mbox && lowerDomain(mbox),
    mbox_sha1sum: mbox_sha1sum?.toLowerCase(),
    member: member && sort(member.map(toComparedAgent)),
  }
}

/** Months and days have no fixed length, so durations are compared as text, to a hundredth of a second (4.6). */
const toComparedResult = (result: Result) => ({ ...result, duration: result.duration && cutDuration(result.duration) })

function toComparedContext(context: Context) {
  const { registration, instructor, team, language, statement, contextActivities, contextAgents, contextGroups } =
    context
  return {
    ...context,
    registration: registration?.toLowerCase(),
    language: language?.toLowerCase(),
    statement: statement && toComparedObject(statement),
    instructor: instructor && toComparedAgent(instructor),
    team: team && toComparedAgent(team),
    contextAgents: contextAgents?.map((one) => ({ ...one, agent: toComparedAgent(one.agent) })),
    contextGroups: contextGroups?.map((one) => ({ ...one, group: toComparedAgent(one.group) })),
    // A single activity is stored as an array of one, and activities have no order.
    contextActivities:
      contextActivities &&
      Object.fromEntries(
        CONTEXT_ACTIVITIES.map((kind) => {
          const activities = contextActivities[kind]
          return [kind, activities && sort(toArray(activities).map(toComparedActivity))]
        }),
      ),
  }
}

/** Sorts an unordered list by its contents. */
const sort = (values: unknown[]): unknown[] =>
  values
    .map((value) => ({ value, text: canonical(value) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ value }) => value)

/**
 * A text that two values share if they are the same JSON in any order of keys. A length precedes each string, so
 * nothing is escaped. The recursion is as deep as its input, which the parser of requests limits.
 */
function canonical(value: unknown): string {
  if (typeof value === 'string') return `"${value.length}:${value}`
  if (typeof value !== 'object' || value === null) return `${value};`
  if (Array.isArray(value)) return `[${value.map(canonical).join('')}]`
  const object = value as Record<string, unknown>
  let text = '{'
  for (const key of Object.keys(object).sort())
    if (object[key] !== undefined) text += `${key.length}:${key}${canonical(object[key])}`
  return `${text}}`
}
