import { isExactNumber, normaliseNumber } from '../../../kernel/json.ts'
import { deriveKey, lowerDomain } from './agents.ts'
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
 * Computes a hash that is equal for two statements that are the same by xAPI-Data 2.3.1, which ignores changes that a
 * store may make. It leaves out the timestamp, which `isSameTime` compares, because the store adds a timestamp to a
 * statement without one.
 */
export const fingerprint = (statement: Statement): string => deriveKey(`statement ${canonical(toCompared(statement))}`)

/**
 * Whether two timestamps are the same instant. A missing timestamp matches any other, because the store may have added
 * that one.
 */
export function isSameTime(kept: string | undefined, sent: string | undefined): boolean {
  return kept === undefined || sent === undefined || instantOf(kept) === instantOf(sent)
}

/**
 * Whether two statements are the same: a stored statement and one that is sent again, or a signed statement and the one
 * that was sent with the signature.
 */
export const isSame = (kept: Statement, sent: Statement): boolean =>
  isSameTime(kept.timestamp, sent.timestamp) && fingerprint(kept) === fingerprint(sent)

/**
 * Reduces a statement to what is compared: without id, stored, authority, version and timestamp, which a store may
 * assign.
 */
function toCompared({ actor, verb, object, result, context, attachments = [] }: Statement | SubStatement): object {
  // A signature signs the statement as it was before the signature was attached (2.6), so signatures are left out.
  const others = attachments.filter(({ usageType }) => usageType !== SIGNATURE)
  return {
    actor: toComparedAgent(actor),
    // The display of a verb is not part of the statement.
    verb: verb.id,
    object: isSubStatement(object) ? toComparedSub(object) : toComparedObject(object),
    result: result && toComparedResult(result),
    context: context && toComparedContext(context),
    attachments: others.length ? others.map((one) => ({ ...one, sha2: one.sha2.toLowerCase() })) : undefined,
  }
}

/**
 * Reduces a sub-statement to what is compared. Its timestamp is included, because no store sets it, and is compared as
 * an instant, so that the time zone does not matter.
 */
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

/** Leaves out the definition, which is not part of the statement. */
const toComparedActivity = ({ objectType, id }: Activity) => ({ objectType, id })

/**
 * Reduces an agent to what is compared. Names matter; the order of members and the letter case of case-insensitive
 * parts do not.
 */
function toComparedAgent(agent: Agent): unknown {
  const { member, mbox, mbox_sha1sum } = agent
  return {
    ...agent,
    mbox: mbox && lowerDomain(mbox),
    mbox_sha1sum: mbox_sha1sum?.toLowerCase(),
    member: member && sort(member.map(toComparedAgent)),
  }
}

/**
 * Prepares a result for comparison. Months and days have no fixed length, so durations are compared as text, to a
 * hundredth of a second (4.6).
 */
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
    // A single activity is the same as an array with one element, and the order of activities does not matter.
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

/** Sorts a list whose order does not matter, so that it can be compared. */
const sort = (values: unknown[]): unknown[] =>
  // Fast path: most lists have one element.
  values.length < 2
    ? values
    : values
        .map((value) => ({ value, text: canonical(value) }))
        .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
        .map(({ value }) => value)

/**
 * Converts a value to text that is equal for equal JSON, whatever the order of keys. Strings are preceded by their
 * length, so nothing needs escaping. The recursion is as deep as the input, whose depth the request parser limits.
 */
function canonical(value: unknown): string {
  if (typeof value === 'string') return `"${value.length}:${value}`
  if (typeof value !== 'object' || value === null) return `${value};`
  if (isExactNumber(value)) return `${normaliseNumber(value.rawJSON)};`
  if (Array.isArray(value)) return `[${value.map(canonical).join('')}]`
  const object = value as Record<string, unknown>
  let text = '{'
  for (const key of sortNames(Object.keys(object)))
    if (object[key] !== undefined) text += `${key.length}:${key}${canonical(object[key])}`
  return `${text}}`
}

/** Up to this many names are sorted by insertion, which takes a third of the time of `Array.sort`. */
const FEW_NAMES = 16

function sortNames(names: string[]): string[] {
  if (names.length > FEW_NAMES) return names.sort()
  for (let i = 1; i < names.length; i++) {
    const name = names[i]!
    let to = i
    for (; to > 0 && names[to - 1]! > name; to--) names[to] = names[to - 1]!
    names[to] = name
  }
  return names
}
