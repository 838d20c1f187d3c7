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
 * A hash that two statements share when they are the same by xAPI-Data 2.3.1: differences that a store may make do not
 * count, all others do. The time of the statement is left to `isSameTime`, for one that was sent without it got one here.
 */
export const fingerprint = (statement: Statement): string => keyOf(`statement ${canonical(toCompared(statement))}`)

/** The other half of the comparison: a time that one side does not say may have been set by the store. */
export function isSameTime(kept: string | undefined, sent: string | undefined): boolean {
  return kept === undefined || sent === undefined || instantOf(kept) === instantOf(sent)
}

/** Whether what is sent again is what is kept, or, for a signature, whether what was signed is what was sent. */
export const isSame = (kept: Statement, sent: Statement): boolean =>
  isSameTime(kept.timestamp, sent.timestamp) && fingerprint(kept) === fingerprint(sent)

/** What is compared. Left out: id, stored, authority, version and timestamp, which a store may assign. */
function toCompared({ actor, verb, object, result, context, attachments = [] }: Statement | SubStatement): object {
  // The payload of a signature is the statement before it was signed (2.6), so signatures do not count; other attachments do.
  const others = attachments.filter(({ usageType }) => usageType !== SIGNATURE)
  return {
    actor: toComparedAgent(actor),
    // Its display is no part of the statement.
    verb: verb.id,
    object: isSubStatement(object) ? toComparedSub(object) : toComparedObject(object),
    result: result && toComparedResult(result),
    context: context && toComparedContext(context),
    attachments: others.length ? others.map((one) => ({ ...one, sha2: one.sha2.toLowerCase() })) : undefined,
  }
}

/** No store sets the time of a sub-statement, so it counts, as an instant: its zone may be another. */
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

/** Definitions are no part of the statement. */
const toComparedActivity = ({ objectType, id }: Activity) => ({ objectType, id })

/** Names count; the order of members does not, nor the case of what is case-insensitive. */
function toComparedAgent(agent: Agent): unknown {
  const { member, mbox, mbox_sha1sum } = agent
  return {
    ...agent,
    mbox: mbox && lowerDomain(mbox),
    mbox_sha1sum: mbox_sha1sum?.toLowerCase(),
    member: member && sort(member.map(toComparedAgent)),
  }
}

/** A duration is text, for months and days have no fixed length; beyond hundredths of a second it does not count (4.6). */
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
    // A single activity becomes an array of one when it is stored, and they have no order.
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

/** Lists without an order, in one that depends on nothing but what they hold. */
const sort = (values: unknown[]): unknown[] =>
  values
    .map((value) => ({ value, text: canonical(value) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ value }) => value)

/**
 * A text that two values share when they are the same JSON, whatever the order of keys. Texts are led by their length, so
 * that nothing has to be escaped. It goes as deep as its input, which the parser of requests bounds.
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
