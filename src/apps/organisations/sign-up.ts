import { randomInt } from 'node:crypto'
import { isChild } from '../../identity/people/ages.ts'
import { askSignUp, type JoinWithLink } from '../../identity/people/sign-up.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { ActingPerson, Caller, PersonCaller } from '../../kernel/caller.ts'
import type { Config } from '../../kernel/config.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import {
  countFailures,
  networkSubject,
  organisationCodeSubject,
  refuseBlocked,
  type Subjects,
  typedCodeSubject,
} from '../../kernel/lockouts/lockouts.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { takeByAddress } from '../invitations/invitations.ts'
import { admitMember, lockManaged, readManaged } from './organisations.ts'
import type { AskToJoin, JoinOrganisation, NameOrganisation, OrganisationSignUp, SetSignUp } from './schema.ts'
import { isCode, isInDomains, isOpen, needMore, readDomains } from './sign-up-rules.ts'
import * as store from './sign-up-store.ts'
import { lockOrganisation } from './store.ts'

/** Letters without vowels and without those that look alike, so that codes form no words and are easy to type. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const CODE_PARTS = [5, 5]

const makeCode = (): string =>
  CODE_PARTS.map((length) => Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('')).join('-')

export async function readSignUpSettings(
  db: Db,
  who: PersonCaller,
  { organisation }: NameOrganisation,
  messages: MessagePolicy,
): Promise<OrganisationSignUp> {
  await readManaged(db, who, organisation)
  return toSettings((await db.first(store.findSettings, { organisation }))!, messages)
}

/** Changes how people can join without an invitation. A link that was sent before works only if it still would be. */
export const setSignUpSettings = (
  db: Db,
  who: PersonCaller,
  what: SetSignUp,
  messages: MessagePolicy,
): Promise<OrganisationSignUp> => {
  const given = what.domains && readDomains(what.domains)
  return db.transaction(async (tx) => {
    await lockManaged(tx, who, what.organisation)
    const before = (await tx.first(store.findSettings, { organisation: what.organisation }))!
    const domains = given ?? before.domains
    const code = what.code === undefined ? before.code : what.code === 'new' ? makeCode() : null
    if (code !== before.code || domains.join() !== before.domains.join()) {
      await tx.first(store.setSettings, { organisation: before.id, domains, code })
      // The audit log has no codes: everybody who reads it could use them.
      const detail = { organisation: before.key, domains: domains.join(' '), code: what.code ?? null }
      await recordAudit(tx, who, { action: 'organisation.sign-up', personId: who.personId, detail })
    }
    return toSettings({ ...before, domains, code }, messages)
  })
}

const toSettings = (row: RowOf<typeof store.findSettings>, { url, isOn }: MessagePolicy): OrganisationSignUp => ({
  organisation: row.key,
  domains: row.domains,
  code: row.code,
  url: `${url}${joinPath(row.key)}`,
  canSend: isOn,
})

/** Path of the page on which people join an organisation. */
export const JOIN = '/account/join'
export const joinPath = (organisation: string): string => `${JOIN}?${new URLSearchParams({ organisation })}`

/** Reads an organisation that is open for sign-up. A closed one looks like one that does not exist. */
async function readOpen(db: Db, organisation: string): Promise<RowOf<typeof store.findSettings>> {
  const found = await db.first(store.findSettings, { organisation })
  if (!found || !isOpen(found))
    throw fail('impossibleNow', 'This organisation is not open for sign-up: ask one of its owners for an invitation')
  return found
}

export interface JoinView {
  readonly organisation: string
  readonly name: string
  readonly domains: readonly string[]
  readonly hasCode: boolean
  readonly isMember: boolean
  /** Whether the signed-in person can join with the address that they have confirmed. */
  readonly isAdmitted: boolean
}

/** Reads what the page for joining shows to a visitor, or to a person who is signed in. Members see it always. */
export async function readJoin(
  db: Db,
  who: { readonly personId?: number | undefined },
  { organisation }: NameOrganisation,
): Promise<JoinView> {
  const found = await db.first(store.findSettings, { organisation })
  const person =
    found && who.personId !== undefined
      ? await db.first(store.findJoiner, { person: who.personId, organisation: found.id })
      : undefined
  const isMember = person?.is_member === true
  const { key, name, domains, code } = found && isMember ? found : await readOpen(db, organisation)
  const isAdmitted = typeof person?.email === 'string' && isInDomains(person.email, { domains, code })
  return { organisation: key, name, domains, hasCode: code !== null, isMember, isAdmitted }
}

/** Sends a link for joining to an address in a domain of the organisation, or to any address with its code. */
export async function askToJoin(
  db: Db,
  who: Caller,
  what: AskToJoin,
  config: Pick<Config, 'SIGN_UP'>,
  messages: MessagePolicy,
): Promise<void> {
  const found = await readOpen(db, what.organisation)
  const { id, key: organisation, name } = found
  const isByAddress = isInDomains(what.email.trim(), found)
  const guesser = [organisationCodeSubject(who, id), networkSubject(who, 'codes-from')] as const
  if (!isByAddress) await checkCode(db, who, what.code ?? '', found, guesser)
  const join = { id, organisation, name, code: isByAddress ? null : found.code }
  await askSignUp(db, who, { email: what.email, join }, config, messages)
}

/** Throws unless the code is right. A wrong one is counted, so that codes cannot be guessed. */
async function checkCode(
  db: Db,
  who: Caller,
  typed: string,
  found: RowOf<typeof store.findSettings>,
  guesser: Subjects,
): Promise<void> {
  if (typed.trim() === '' || found.code === null) throw needMore(found)
  await refuseBlocked(db, who, guesser)
  if (isCode(typed, found)) return
  await db.transaction(async (tx) => {
    await countFailures(tx, who, guesser)
    const detail = { organisation: found.key }
    await recordAudit(tx, who, { action: 'organisation.code-wrong', detail })
  })
  throw fail('notFound', 'The code is wrong; ask the organisation for the current one')
}

/** Adds the caller to an organisation, with the address that they have confirmed or with the code. */
export async function joinOrganisation(db: Db, who: PersonCaller, what: JoinOrganisation): Promise<void> {
  const found = await readOpen(db, what.organisation)
  const person = (await db.first(store.findJoiner, { person: who.personId, organisation: found.id }))!
  if (person.is_member) return
  const isByAddress = person.email !== null && isInDomains(person.email, found)
  const guesser = [typedCodeSubject(who.personId), networkSubject(who, 'codes-from')] as const
  if (!isByAddress) await checkCode(db, who, what.code ?? '', found, guesser)
  const join = { organisation: found.key, code: isByAddress ? null : found.code }
  await db.transaction((tx) => joinNow(tx, who, { ...join, email: person.email }))
}

/** Returns the function that adds the person of a sign-up link. */
export const joinWithLink =
  (who: Caller): JoinWithLink =>
  (tx, { personId, email, join }) =>
    joinNow(tx, { ...who, personId }, { ...join, email })

/**
 * Adds a person, unless the organisation has closed meanwhile or has another code. `email` is an address that the
 * person has confirmed: if the organisation invited it, the invitation is accepted, with its role.
 */
async function joinNow(
  tx: Tx,
  who: ActingPerson,
  what: { organisation: string; email: string | null; code: string | null },
): Promise<void> {
  const { organisation, email, code } = what
  const { personId } = who
  await tx.first(lockOrganisation, { organisation })
  const found = await tx.first(store.findSettings, { organisation })
  const isStillOpen = found && (code === null ? email !== null && isInDomains(email, found) : found.code === code)
  if (!isStillOpen) throw fail('impossibleNow', 'This organisation no longer accepts sign-ups this way: ask its owners')
  const person = (await tx.first(store.findJoiner, { person: personId, organisation: found.id }))!
  if (isChild(person.date_of_birth, who.at))
    throw fail('wrongUserType', 'A child joins by invitation, which a parent accepts')
  const role = email === null ? undefined : await takeByAddress(tx, who, { organisation: found, email })
  await admitMember(tx, who, { organisation, personId, role: role ?? 'member' })
}
