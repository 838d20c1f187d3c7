import { isMailto, isSha1 } from '../model/forms.ts'
import {
  array,
  type Check,
  checkPresent,
  checkShape,
  type Faults,
  iri,
  type Json,
  type Shape,
  text,
  word,
} from './checks.ts'

/** Whether a value is a group: the objectType alone distinguishes a group from an agent. */
const isGroup = (value: unknown): boolean => (value as Json | null)?.objectType === 'Group'

const ACCOUNT: Shape = new Map([
  ['homePage', iri('XAPI-00042')],
  ['name', text('XAPI-00043')],
])

const account: Check = (value, faults) => {
  if (checkShape(value, faults, 'XAPI-00041', 'an account', ACCOUNT))
    checkPresent(value, faults, { homePage: 'XAPI-00042', name: 'XAPI-00043' })
}

const IDENTIFIERS: Shape = new Map([
  ['mbox', text('XAPI-00038', 'be "mailto:" and an e-mail address', isMailto)],
  ['mbox_sha1sum', text('XAPI-00039', 'be the 40 hex digits of a SHA-1', isSha1)],
  ['openid', iri('XAPI-00040')],
  ['account', account],
])

const AGENT: Shape = new Map([
  ['objectType', word('XAPI-00031', 'Agent', 'Group')],
  ['name', text('XAPI-00033')],
  ...IDENTIFIERS,
])

function countIdentifiers(value: Json): number {
  let count = 0
  for (const key of IDENTIFIERS.keys()) if (value[key] !== undefined) count++
  return count
}

const checkMember: Check = (value, faults) => {
  if (isGroup(value)) faults.add('XAPI-00036', 'be an agent: groups cannot contain groups')
  else checkAgent(value, faults)
}

const GROUP: Shape = new Map([
  ...AGENT,
  ['objectType', word('XAPI-00088', 'Group')],
  ['member', array('XAPI-00036', 'agents', checkMember)],
])

function checkAgent(value: unknown, faults: Faults): void {
  if (!checkShape(value, faults, 'XAPI-00006', 'an agent', AGENT)) return
  const count = countIdentifiers(value)
  if (count !== 1)
    faults.add('XAPI-00034', `have exactly one of mbox, mbox_sha1sum, openid and account, not ${count || 'none'}`)
}

function checkGroup(value: unknown, faults: Faults): void {
  if (!checkShape(value, faults, 'XAPI-00006', 'a group', GROUP)) return
  checkPresent(value, faults, { objectType: 'XAPI-00088' })
  const count = countIdentifiers(value)
  if (count > 1) faults.add('XAPI-00037', 'have at most one of mbox, mbox_sha1sum, openid and account')
  if (count === 0 && value.member === undefined)
    faults.add('XAPI-00035', 'be present: a group without an identifier lists its members', 'member')
}

/** Checks an agent or a group, such as an actor, an instructor or an object. */
export const checkActor: Check = (value, faults) => (isGroup(value) ? checkGroup : checkAgent)(value, faults)

/** Checks a value that must be an agent, not a group. */
export const checkAgentAlone: Check = (value, faults) => {
  if (isGroup(value)) faults.add('XAPI-00006', 'be an agent, not a group')
  else checkAgent(value, faults)
}

/** Checks a value that must be a group, not an agent. */
export const checkTeam: Check = checkGroup

/** Checks an authority: an agent or, with OAuth, an anonymous group of the app and the user. */
export const checkAuthority: Check = (value, faults) => {
  checkActor(value, faults)
  if (!isGroup(value)) return
  const group = value as Json
  if (countIdentifiers(group) > 0) faults.add('XAPI-00098', 'be an agent, or a group without an identifier of its own')
  if (Array.isArray(group.member) && group.member.length !== 2)
    faults.add('XAPI-00098', 'have exactly two agents', 'member')
}
