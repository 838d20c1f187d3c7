import { alsoRemovePasskeys } from '../../identity/passkeys/passkeys.ts'
import { addProvided, claimAccount, lockAccount } from '../../identity/people/accounts.ts'
import { isChild } from '../../identity/people/ages.ts'
import { startEpoch } from '../../identity/people/changes.ts'
import { confirmPerson, tellPerson, type VerifiedPerson } from '../../identity/people/people.ts'
import { confirmEmail } from '../../identity/people/sign-up.ts'
import { takeOverAccount } from '../../identity/people/take-over.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { ActingPerson, Caller } from '../../kernel/caller.ts'
import { type Db, hasCode, type Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { enqueue } from '../../kernel/jobs/jobs.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { endSessionsOfPerson } from '../../kernel/sessions/sessions.ts'
import { isInvited, takeByAddress } from '../invitations/invitations.ts'
import { JOINED } from '../organisations/joined.ts'
import { admitMember, joinByLink, setProvidedRole } from '../organisations/organisations.ts'
import type { Identified } from './claims.ts'
import { removeConnections } from './connections.ts'
import { connectedLetter } from './letters.ts'
import type { Problem } from './problems.ts'
import * as store from './sign-in-store.ts'
import type { ProviderRow } from './store.ts'

/** A sign-in that the platform refuses although the provider has accepted the person. */
export class LinkRefusal extends Error {
  /** What the person is told. */
  readonly sentence: string
  /** What the owners of the organisation are told. */
  readonly problem: Problem

  constructor(sentence: string, problem: Problem) {
    super(sentence)
    this.name = 'LinkRefusal'
    this.sentence = sentence
    this.problem = problem
  }
}

/** What a sign-in does. `email` is an address that counts. */
export type Outcome =
  | { readonly kind: 'known'; readonly person: VerifiedPerson; readonly handle: string; readonly role: string }
  | { readonly kind: 'connect' | 'claim'; readonly personId: number; readonly handle: string; readonly email: string }
  | { readonly kind: 'create'; readonly email: string | null }
  | { readonly kind: 'refuse'; readonly refusal: LinkRefusal }

const refuse = (sentence: string, problem: Problem): Extract<Outcome, { kind: 'refuse' }> => ({
  kind: 'refuse',
  refusal: new LinkRefusal(sentence, problem),
})

const DISABLED = refuse('Your account is disabled. Contact an administrator.', {
  problem: 'The account of this person is disabled',
})

/**
 * What the owners read if the platform refuses an address that counts. It is the same whether the address has no
 * account, one of somebody who is not a member, or one that is connected by hand only: they must not find out which.
 */
const byHand = (email: string): Problem => ({
  problem:
    'This person has no account that is connected by the address: they need an invitation, or sign in with another way and connect their account',
  claim: 'email',
  found: email,
})

/** Decides what a sign-in does (docs/decisions/0098-an-organisations-own-provider.md). It changes nothing. */
export async function decide(db: Db, who: Caller, provider: ProviderRow, person: Identified): Promise<Outcome> {
  const { id: organisation, name } = provider
  const { issuer, subject, address } = person
  const known = await db.first(store.findIdentity, { organisation, issuer, subject })
  if (known) {
    if (known.is_disabled) return DISABLED
    const { person_id: id, epoch, handle, role } = known
    return { kind: 'known', person: { id, epoch }, handle, role }
  }
  const { email } = address
  const account = email === null ? undefined : await db.first(store.findByAddress, { organisation, email })
  if (account && email !== null) return judgeAccount(who, provider, person, account, email)
  if (provider.creates_accounts) return { kind: 'create', email }
  if (email !== null && (await isInvited(db, who, { organisation, email }))) return { kind: 'create', email }
  return refuse(
    `${name} does not create accounts for new people. If you have an account, sign in to it and connect it to ${name} in your account, under Security. Otherwise ask ${name} for an invitation.`,
    email === null ? address.problem! : byHand(email),
  )
}

function judgeAccount(
  who: Caller,
  { name }: ProviderRow,
  { issuer, subject }: Identified,
  account: RowOf<typeof store.findByAddress>,
  email: string,
): Outcome {
  const first = `You have an account with this address already. Sign in to it first, then connect it to ${name} in your account, under Security.`
  if (account.is_disabled) return refuse(DISABLED.refusal.sentence, byHand(email))
  // A provider that speaks for an administrator would decide about all organisations, so they agree to that first. A
  // break-glass account is of use only while it has its password.
  if (account.administrator || account.is_break_glass || isChild(account.born, who.at))
    return refuse(first, byHand(email))
  const { id: personId, handle } = account
  if (!account.is_confirmed && account.is_claimable) return { kind: 'claim', personId, handle, email }
  if (!account.is_confirmed || !account.is_member)
    return refuse(
      account.is_confirmed
        ? first
        : 'An account waits for you: open the link in the invitation that you got by e-mail.',
      byHand(email),
    )
  if (account.connected_issuer === issuer)
    return refuse(
      `The account with this address is connected to somebody else at ${name}. Ask one of its owners to disconnect it.`,
      {
        problem: `The account ${handle} has this address, and is connected to another subject. If it is the same person, remove the connection of the account`,
        claim: 'sub',
        found: subject,
      },
    )
  return { kind: 'connect', personId, handle, email }
}

/** A person who may sign in, and what was done for it. */
export interface Linked extends VerifiedPerson {
  readonly outcome: Outcome['kind'] | 'link'
}

const MAX_TRIES = 5

/** Finds, connects or creates the account of a person whom the provider has identified. Throws `LinkRefusal`. */
export async function resolvePerson<T>(
  db: Db,
  who: Caller,
  provider: ProviderRow,
  person: Identified,
  messages: MessagePolicy,
  then: (tx: Tx, linked: Linked) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await db.transaction(async (tx) => {
        await takeTurn(tx, provider, person)
        const outcome = await decide(tx, who, provider, person)
        if (outcome.kind === 'refuse') throw outcome.refusal
        return then(tx, await carryOut(tx, who, provider, person, outcome, messages))
      })
    } catch (error) {
      // Somebody else has got the handle, the account was changed meanwhile, or the person has left (23503).
      const isTaken = error instanceof PlatformError && error.kind === 'duplicate'
      const isLost = error instanceof Moved || isTaken || hasCode(error, '23503')
      if (!isLost || tries === MAX_TRIES) throw error
    }
  }
}

/** What was read is not true any more. */
class Moved extends Error {}

async function takeTurn(tx: Tx, { id, key }: ProviderRow, { issuer, subject }: Identified): Promise<void> {
  await tx.first(store.takeSubjectTurn, { subject: `${id} ${key} ${issuer} ${subject}` })
}

async function carryOut(
  tx: Tx,
  caller: Caller,
  provider: ProviderRow,
  person: Identified,
  outcome: Exclude<Outcome, { kind: 'refuse' }>,
  messages: MessagePolicy,
): Promise<Linked> {
  const { kind } = outcome
  if (kind === 'known') {
    const who = { ...caller, personId: outcome.person.id }
    if (person.role !== undefined && person.role !== outcome.role) await setRole(tx, who, provider, person)
    await confirmPerson(tx, outcome.person)
    const { id: organisation } = provider
    const used = { organisation, ...identityOf(person), person: outcome.person.id, now: who.at }
    if (!(await tx.first(store.touchIdentity, used))) throw new Moved()
    return { ...outcome.person, outcome: kind }
  }
  if (kind === 'create') return { ...(await createAccount(tx, caller, provider, person, outcome.email)), outcome: kind }
  const { personId, email } = outcome
  const who = { ...caller, personId }
  await lockAccount(tx, personId)
  const again = await decide(tx, caller, provider, person)
  if (again.kind !== kind || again.personId !== personId) throw new Moved()
  const also = alsoRemovePasskeys(who, { removePasskeys: ['all'] }, messages).also
  if (kind === 'claim') {
    await acceptInvitation(tx, who, provider)
    await claimAccount(tx, personId)
    await confirmEmail(tx, who, { personId, email })
  }
  const verified = await takeOverAccount(tx, who, { personId, email, also })
  // Somebody else may have connected it to the provider of an organisation that they joined it to.
  await removeConnections(tx, who, { isAll: true })
  await connect(tx, who, provider, person)
  await setRole(tx, who, provider, person)
  await tell(tx, who, provider, { handle: verified.handle, isTakenOver: kind === 'connect' }, messages)
  return { id: verified.id, epoch: verified.epoch, outcome: kind }
}

const identityOf = ({ issuer, subject }: Identified) => ({ issuer, subject })

/**
 * Accepts the invitation for which an account was created. If it has expired, new people may be admitted all the same.
 */
async function acceptInvitation(tx: Tx, who: ActingPerson, provider: ProviderRow): Promise<void> {
  try {
    await joinByLink(tx, who, who.personId)
  } catch (error) {
    const isOver = error instanceof PlatformError && error.kind === 'unknownCode'
    if (!isOver || !provider.creates_accounts) throw error
    await admitMember(tx, who, { organisation: provider.key, personId: who.personId, role: 'member' })
  }
}

async function createAccount(
  tx: Tx,
  caller: Caller,
  provider: ProviderRow,
  person: Identified,
  email: string | null,
): Promise<VerifiedPerson> {
  const { id: managedBy, key } = provider
  const { firstName, lastName, userName } = person
  const { id: personId } = await addProvided(tx, caller, { firstName, lastName, userName, email, managedBy })
  const who = { ...caller, personId }
  // Somebody else may have confirmed the address since.
  if (email !== null && !(await confirmEmail(tx, who, { personId, email }))) throw new Moved()
  const organisation = { id: managedBy, key }
  const invited = email === null ? undefined : await takeByAddress(tx, who, { organisation, email })
  // The invitation was withdrawn meanwhile.
  if (invited === undefined && !provider.creates_accounts) throw new Moved()
  await admitMember(tx, who, { organisation: key, personId, role: invited ?? 'member' })
  await enqueue(tx, JOINED, { payload: { personId, organisation: managedBy }, at: who.at })
  await connect(tx, who, provider, person)
  await setRole(tx, who, provider, person)
  return { id: personId, epoch: 0 }
}

/** Connects an account. The caller has locked what decides about it. */
async function connect(tx: Tx, who: ActingPerson, provider: ProviderRow, person: Identified): Promise<void> {
  const { personId } = who
  const { id: organisation, key, version } = provider
  const identity = identityOf(person)
  await tx.first(store.deleteFormerIdentity, { organisation, person: personId, issuer: identity.issuer })
  const what = { organisation, ...identity, person: personId, now: who.at }
  if (!(await tx.first(store.insertIdentity, what))) throw new Moved()
  const detail = { organisation: key, issuer: identity.issuer, subject: identity.subject, version: String(version) }
  await recordAudit(tx, who, { action: 'connection.added', personId, detail })
}

/** Gives the role that the groups of the person give. Break-glass accounts keep theirs. */
async function setRole(tx: Tx, who: ActingPerson, provider: ProviderRow, { role }: Identified): Promise<void> {
  const { id, key } = provider
  if (role === undefined) return
  if (await tx.first(store.findBreakGlass, { organisation: id, person: who.personId })) return
  await setProvidedRole(tx, who, { id, key }, role)
}

async function tell(
  tx: Tx,
  who: ActingPerson,
  { name, issuer }: ProviderRow,
  what: { handle: string; isTakenOver: boolean },
  messages: MessagePolicy,
): Promise<void> {
  const letter = connectedLetter({ ...what, organisation: name, host: new URL(issuer).host }, messages)
  await tellPerson(tx, who, { personId: who.personId, ...letter }, messages)
}

const taken = (name: string, subject: string) =>
  new LinkRefusal(
    `This account at ${name} is connected to another account here. Sign in with it, or disconnect it first.`,
    {
      problem: 'A person wanted to connect their account to a subject that is connected to another account',
      claim: 'sub',
      found: subject,
    },
  )

/**
 * Connects the account of somebody who has just proven who they are in another way. It keeps its password, which they
 * know. Everything else that is signed in ends, in case somebody else was.
 */
export async function connectPerson<T>(
  db: Db,
  caller: Caller,
  provider: ProviderRow,
  person: Identified,
  proven: VerifiedPerson,
  messages: MessagePolicy,
  then: (tx: Tx, linked: Linked) => Promise<T>,
): Promise<T> {
  const { id: organisation, name } = provider
  const who = { ...caller, personId: proven.id }
  try {
    return await db.transaction(async (tx) => {
      await takeTurn(tx, provider, person)
      await lockAccount(tx, proven.id)
      await confirmPerson(tx, proven)
      const owner = await tx.first(store.findIdentity, { organisation, ...identityOf(person) })
      if (owner && owner.person_id !== proven.id) throw taken(name, person.subject)
      const account = (await tx.first(store.findAccount, { organisation, person: proven.id }))!
      if (!owner) {
        if (!account.is_member && account.is_claimable) await acceptInvitation(tx, who, provider)
        else if (!account.is_member)
          throw new LinkRefusal(`You do not belong to ${name}. Join it first, then connect your account.`, {
            problem: 'Somebody who is not a member wanted to connect their account',
          })
        await claimAccount(tx, proven.id)
        await connect(tx, who, provider, person)
        await tell(tx, who, provider, { handle: account.handle, isTakenOver: false }, messages)
      }
      await setRole(tx, who, provider, person)
      const epoch = owner ? proven.epoch : await endEverything(tx, who, proven)
      return then(tx, { id: proven.id, epoch, outcome: 'link' })
    })
  } catch (error) {
    if (error instanceof Moved || hasCode(error, '23503')) throw taken(name, person.subject)
    throw error
  }
}

/** Signs a locked person out everywhere. Returns their new epoch. */
async function endEverything(tx: Tx, who: ActingPerson, { id: personId, epoch }: VerifiedPerson): Promise<number> {
  const next = await startEpoch(tx, { personId, epoch })
  if (next === undefined) throw new Moved()
  await endSessionsOfPerson(tx, who, { personId, reason: 'connected to a provider' })
  return next
}
