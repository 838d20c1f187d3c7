import { checkActor, checkAuthority } from './agent-faults.ts'
import { checkAttachment } from './attachment-faults.ts'
import {
  array,
  type Check,
  checkPresent,
  checkShape,
  type Fault,
  Faults,
  isObject,
  type Json,
  type Shape,
} from './checks.ts'
import { checkContext, checkContextFits } from './context-faults.ts'
import { checkObject, checkVerb, uuid } from './object-faults.ts'
import { checkResult } from './result-faults.ts'
import { type Version, VOIDED } from './statement.ts'
import { isTimestamp } from './times.ts'

export type { Fault } from './checks.ts'

const EXAMPLE: Record<Version, string> = {
  '1.0.3': 'be an ISO 8601 date and time, such as "2015-11-18T12:17:00Z", and no offset -00:00',
  '2.0.0': 'be a date and time by RFC 3339, such as "2015-11-18T12:17:00Z", and no offset -00:00',
}

const timestamp: Check = (value, faults) => {
  if (typeof value !== 'string' || !isTimestamp(value, faults.version))
    faults.add('XAPI-00123', EXAMPLE[faults.version])
}

// A request of 2.0 may carry statements of 1.0: they are valid there as well.
const VERSIONS: Record<Version, RegExp> = {
  '1.0.3': /^1\.0(?:\.\d+[0-9A-Za-z.+-]*)?$/,
  '2.0.0': /^[12]\.0(?:\.\d+[0-9A-Za-z.+-]*)?$/,
}

const version: Check = (value, faults) => {
  if (typeof value !== 'string' || !VERSIONS[faults.version].test(value))
    faults.add('XAPI-00101', `be ${faults.version === '2.0.0' ? '2.0.x or ' : ''}1.0.x, or left out`)
}

/** What a statement and a sub-statement have in common. */
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

/** What is said about the statement as a whole, not about one property. */
function checkWhole(value: Json, faults: Faults): void {
  checkPresent(value, faults, { actor: 'XAPI-00003', verb: 'XAPI-00004', object: 'XAPI-00005' })
  const { verb, object } = value
  checkContextFits(value.context, object, faults)
  if (isObject(verb) && verb.id === VOIDED && isObject(object) && object.objectType !== 'StatementRef')
    faults.add('XAPI-00017', 'be "StatementRef": that is what a statement can void', 'object', 'objectType')
}

/** Everything that is wrong with a statement by xAPI-Data, up to `most` faults; an empty list where it may be stored. */
export function findFaults(statement: unknown, version: Version, most = 20): Fault[] {
  const faults = new Faults(version, most)
  if (checkShape(statement, faults, 'XAPI-00006', 'a statement', STATEMENT)) checkWhole(statement, faults)
  return faults.list
}

/** The same for an agent or a group that stands alone, as in a parameter: it is held to the same rules (2.2). */
export function findAgentFaults(agent: unknown, version: Version, most = 20): Fault[] {
  const faults = new Faults(version, most)
  checkActor(agent, faults)
  return faults.list
}
