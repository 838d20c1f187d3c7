import { type ErrorName, fail, type PlatformError } from '../../../kernel/errors.ts'
import { type Fault, type Version, VOIDED } from '../model/statement.ts'
import { isTimestamp } from '../model/times.ts'
import { checkActor, checkAuthority } from './agents.ts'
import { checkAttachment } from './attachments.ts'
import { array, type Check, checkPresent, checkShape, Faults, isObject, type Json, type Shape } from './checks.ts'
import { checkContext, checkContextFits } from './context.ts'
import { checkObject, checkVerb, uuid } from './objects.ts'
import { checkResult } from './results.ts'

/** The maximum number of faults that a refusal lists. */
export const MOST_FAULTS = 20

const EXAMPLE: Record<Version, string> = {
  '1.0.3': 'be an ISO 8601 date and time, such as "2015-11-18T12:17:00Z", and no offset -00:00',
  '2.0.0': 'be a date and time by RFC 3339, such as "2015-11-18T12:17:00Z", and no offset -00:00',
}

const timestamp: Check = (value, faults) => {
  if (typeof value !== 'string' || !isTimestamp(value, faults.version))
    faults.add('XAPI-00123', EXAMPLE[faults.version])
}

// A request of version 2.0 may also contain statements of version 1.0.
const VERSIONS: Record<Version, RegExp> = {
  '1.0.3': /^1\.0(?:\.\d+[0-9A-Za-z.+-]*)?$/,
  '2.0.0': /^[12]\.0(?:\.\d+[0-9A-Za-z.+-]*)?$/,
}

const version: Check = (value, faults) => {
  if (typeof value !== 'string' || !VERSIONS[faults.version].test(value))
    faults.add('XAPI-00101', `be ${faults.version === '2.0.0' ? '2.0.x or ' : ''}1.0.x, or left out`)
}

/** Properties that a statement and a sub-statement have in common. */
const COMMON: [string, Check][] = [
  ['actor', checkActor],
  ['verb', checkVerb],
  ['result', checkResult],
  ['context', checkContext],
  ['timestamp', timestamp],
  ['attachments', array('XAPI-00025', 'attachments', checkAttachment)],
]

const SUB_STATEMENT: Shape = new Map([
  ...COMMON,
  ['objectType', () => undefined],
  ['object', (value, faults) => checkObject(value, faults)],
  ...Object.entries({
    id: 'XAPI-00070',
    stored: 'XAPI-00069',
    version: 'XAPI-00068',
    authority: 'XAPI-00067',
  }).map(([key, rule]): [string, Check] => [
    key,
    (_, faults) => faults.add(rule, `be left out: a sub-statement has no ${key}`),
  ]),
])

const checkSubStatement: Check = (value, faults) => {
  if (checkShape(value, faults, 'XAPI-00066', 'a sub-statement', SUB_STATEMENT)) checkWhole(value, faults)
}

const STATEMENT: Shape = new Map([
  ...COMMON,
  ['id', uuid('XAPI-00027')],
  ['object', (value, faults) => checkObject(value, faults, checkSubStatement)],
  ['stored', timestamp],
  ['version', version],
  ['authority', checkAuthority],
])

/** Checks the rules that concern more than one property. */
function checkWhole(value: Json, faults: Faults): void {
  checkPresent(value, faults, { actor: 'XAPI-00003', verb: 'XAPI-00004', object: 'XAPI-00005' })
  const { verb, object } = value
  checkContextFits(value.context, object, faults)
  if (isObject(verb) && verb.id === VOIDED && isObject(object) && object.objectType !== 'StatementRef')
    faults.add('XAPI-00017', 'be "StatementRef": only statements can be voided', 'object', 'objectType')
}

/** Finds the faults of a statement by the rules of xAPI-Data, at most `most` of them. */
export function findFaults(statement: unknown, version: Version, most = MOST_FAULTS): Fault[] {
  const faults = new Faults(version, most)
  if (checkShape(statement, faults, 'XAPI-00006', 'a statement', STATEMENT)) checkWhole(statement, faults)
  return faults.list
}

/**
 * Finds the faults of an agent or a group that is not in a statement, such as a query parameter. The same rules apply
 * (2.2).
 */
export function findAgentFaults(agent: unknown, version: Version, most = MOST_FAULTS): Fault[] {
  const faults = new Faults(version, most)
  checkActor(agent, faults)
  return faults.list
}

/** The maximum number of faults that the message of a refusal mentions; the property `faults` lists more. */
const MENTIONED = 5

/** Makes an error that lists faults: the first few in its message, and all of them in `faults`. */
export function failWithFaults(faults: readonly Fault[], kind: ErrorName = 'validationFailed'): PlatformError {
  const mentioned = faults.slice(0, MENTIONED).map(({ pointer, must }) => `${pointer || 'the statement'} must ${must}`)
  const more =
    faults.length > MENTIONED ? `; and ${faults.length >= MOST_FAULTS ? 'perhaps ' : ''}more, see faults` : ''
  const refusal = fail(kind, mentioned.join('; ') + more)
  refusal.faults = faults
  return refusal
}

/**
 * Makes an error with this message and one fault. If no pointer is given, it is taken from a message such as
 * "actor.account must be …".
 */
export function failByRule(rule: string, message: string, pointer?: string): PlatformError {
  const refusal = fail('validationFailed', message)
  const [, path, must = message] = /^([\w.]+) must (.*)$/s.exec(message) ?? []
  refusal.faults = [{ pointer: pointer ?? (path ? `/${path.replaceAll('.', '/')}` : ''), rule, must }]
  return refusal
}
