import { randomUUID } from 'node:crypto'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller, PersonCaller, Visitor } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { isLine } from '../../kernel/lines.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { claimAccount } from '../people/accounts.ts'
import { type AlongWithPassword, holdAccount, tellPerson, type VerifiedPerson } from '../people/people.ts'
import { readFirstLink, takeFirstLink } from '../people/resets.ts'
import { makeChallenge, takeChallenge, toAdd } from './challenges.ts'
import { type Proof, proveForPasskeys } from './proof.ts'
import {
  creationOptions,
  isPasskeyId,
  type RelyingParty,
  readClientData,
  readRegistration,
  userHandleOf,
} from './rules.ts'
import { type CreationOptions, MAX_NAME_LENGTH, MAX_PASSKEYS, type Passkey } from './schema.ts'
import * as store from './store.ts'
import { type NewPasskeyCredential, verifyRegistration } from './webauthn.ts'

const DEFAULT_NAME = 'Passkey'

/** Lists a person's passkeys, oldest first. */
export async function listPasskeys(db: Db, who: Pick<PersonCaller, 'personId'>): Promise<Passkey[]> {
  return (await db.all(store.listOfPerson, { person: who.personId })).map(present)
}

const present = (
  row: Pick<RowOf<typeof store.listOfPerson>, 'id' | 'name' | 'created_at' | 'last_used_at'>,
): Passkey => ({
  passkeyId: row.id,
  name: row.name,
  createdDate: row.created_at,
  lastUsedDate: row.last_used_at,
})

/**
 * Returns the options with which the browser creates a passkey. Requires proof of identity. The options contain the
 * challenge that is needed for adding the passkey.
 */
export async function startPasskey(
  db: Db,
  who: PersonCaller,
  what: Proof,
  party: RelyingParty,
): Promise<CreationOptions> {
  await proveForPasskeys(db, who, what, party)
  const passkeys = await db.all(store.listOfPerson, { person: who.personId })
  refuseMore(passkeys.length)
  const known = passkeys.map((row) => ({ credentialId: row.credential_id, transports: row.transports }))
  return creationOptions(party, who, { challenge: makeChallenge(who, toAdd(who.personId), party), known })
}

/** Adds the passkey that the browser created. */
export async function addPasskey(
  db: Db,
  who: PersonCaller,
  what: { response: unknown; name?: string | undefined },
  party: RelyingParty,
  messages: MessagePolicy,
): Promise<Passkey> {
  const name = readName(what.name?.trim() || DEFAULT_NAME)
  const created = await readCreated(db, who, { ...what, personId: who.personId }, party)
  return db.transaction(async (tx) => {
    if (!(await tx.first(store.lockPerson, { person: who.personId, epoch: who.epoch })))
      throw fail('notAuthorized', 'You are no longer signed in; sign in again')
    refuseMore((await tx.first(store.countOfPerson, { person: who.personId }))!.passkeys)
    return keepPasskey(tx, who, { ...created, personId: who.personId, handle: who.handle, name }, party, messages)
  })
}

/** Like `startPasskey`, for a person who has opened the link of a new account. */
export async function startFirstPasskey(
  db: Db,
  who: Visitor,
  what: { code: string },
  party: RelyingParty,
  messages: MessagePolicy,
): Promise<CreationOptions> {
  const owner = await readFirstLink(db, who, what, messages)
  return creationOptions(party, owner, { challenge: makeChallenge(who, toAdd(owner.personId), party), known: [] })
}

interface VerifiedOwner {
  readonly personId: number
  readonly epoch: number
}

/** Adds the first passkey of a new account, with the link of the account. `also` runs in the same transaction. */
export async function addFirstPasskey(
  db: Db,
  who: Visitor,
  what: { code: string; response: unknown; also(tx: Tx, owner: VerifiedOwner): Promise<void> },
  party: RelyingParty,
  messages: MessagePolicy,
): Promise<VerifiedPerson> {
  const owner = await readFirstLink(db, who, what, messages)
  const created = await readCreated(db, who, { ...what, ...owner }, party)
  await db.transaction(async (tx) => {
    await takeFirstLink(tx, who, { ...owner, code: what.code }, messages)
    await keepPasskey(tx, who, { ...created, ...owner, name: DEFAULT_NAME }, party, messages)
    await what.also(tx, owner)
  })
  return { id: owner.personId, epoch: owner.epoch }
}

interface CreatedPasskey {
  readonly credential: NewPasskeyCredential
  readonly transports: readonly string[]
}

/** Verifies the passkey that the browser created for a person. */
async function readCreated(
  db: Db,
  who: Visitor,
  { response, personId }: { response: unknown; personId: number },
  party: RelyingParty,
): Promise<CreatedPasskey> {
  const given = readRegistration(response)
  const { challenge, isCrossOrigin } = readClientData(given.response.clientDataJSON)
  if (!(await takeChallenge(db, who, { challenge, purpose: toAdd(personId) }, party)))
    throw fail(
      'alreadyUsed',
      'This passkey request was already used, has expired or belongs to another browser; start again',
    )
  const credential = isCrossOrigin ? undefined : await verifyRegistration(party, given, challenge)
  if (!credential)
    throw fail('validationFailed', 'This passkey cannot be used here; it must verify you by fingerprint, face or PIN')
  return { credential, transports: given.response.transports ?? [] }
}

/** Stores a passkey of a person whose row is locked. */
async function keepPasskey(
  tx: Tx,
  who: Caller,
  what: CreatedPasskey & { personId: number; handle: string; name: string },
  party: RelyingParty,
  messages: MessagePolicy,
): Promise<Passkey> {
  const { credential, transports, personId, name } = what
  const passkey = { id: randomUUID(), name, created_at: who.at.toISOString(), last_used_at: null }
  const added = await tx.first(store.insertPasskey, {
    id: passkey.id,
    credential: credential.credentialId,
    person: personId,
    key: credential.publicKey,
    userHandle: userHandleOf(party.userKeys[0]!, personId),
    counter: credential.counter,
    transports: [...transports],
    name,
    now: who.at,
  })
  if (!added) throw fail('duplicate', 'This passkey already exists')
  await claimAccount(tx, personId)
  await recordAudit(tx, who, { action: 'passkey.added', personId, detail: { passkeyId: passkey.id } })
  await tell(tx, who, { ...what, verb: 'added', names: [name] }, messages)
  return present(passkey)
}

export async function renamePasskey(
  db: Db,
  who: PersonCaller,
  what: { passkeyId: string; name: string },
): Promise<void> {
  const { passkeyId } = what
  const name = readName(what.name.trim())
  await db.transaction(async (tx) => {
    const isOwn = isPasskeyId(passkeyId)
    if (!isOwn || !(await tx.first(store.renamePasskey, { id: passkeyId, person: who.personId, name })))
      throw notFound()
    await recordAudit(tx, who, { action: 'passkey.renamed', personId: who.personId, detail: { passkeyId } })
  })
}

export async function removePasskey(
  db: Db,
  who: PersonCaller,
  what: Proof & { passkeyId: string },
  party: RelyingParty,
  messages: MessagePolicy,
): Promise<void> {
  const person = await proveForPasskeys(db, who, what, party)
  await db.transaction(async (tx) => {
    await holdAccount(tx, person)
    await removePasskeys(tx, who, { ...who, passkeyIds: [what.passkeyId] }, messages)
  })
}

/** In a list of ids to remove, stands for all passkeys of the person. */
export const ALL = 'all'

interface PasskeyRemoval {
  readonly personId: number
  readonly handle: string
  /** Passkey ids, or `all`. */
  readonly passkeyIds: readonly string[]
}

/**
 * Removes all the given passkeys or none. The caller must have verified the proof of identity and locked the person's
 * row, so that no passkey is added meanwhile.
 */
async function removePasskeys(
  tx: Tx,
  who: Caller,
  { personId, handle, passkeyIds }: PasskeyRemoval,
  messages: MessagePolicy,
): Promise<void> {
  const known = await tx.all(store.lockOfPerson, { person: personId })
  const isAll = passkeyIds.includes(ALL)
  if (!isAll && passkeyIds.some((passkeyId) => !known.some(({ id }) => id === passkeyId))) throw notFound()
  const removed = known.filter(({ id }) => isAll || passkeyIds.includes(id))
  if (removed.length === 0) return
  for (const { id } of removed) {
    await tx.first(store.deletePasskey, { id, person: personId })
    await recordAudit(tx, who, { action: 'passkey.removed', personId, detail: { passkeyId: id } })
  }
  await tell(tx, who, { personId, handle, verb: 'removed', names: removed.map(({ name }) => name) }, messages)
}

/** The passkeys to remove when a new password is set. */
export interface PasskeysToRemove {
  readonly removePasskeys?: readonly string[] | undefined
}

/**
 * Removes passkeys in the transaction that sets a new password. If the removal fails, the password is not changed
 * either.
 */
export const alsoRemovePasskeys = (
  who: Caller,
  { removePasskeys: passkeyIds = [] }: PasskeysToRemove,
  messages: MessagePolicy,
): { also: AlongWithPassword } => ({
  also: (tx, person) => removePasskeys(tx, who, { ...person, passkeyIds }, messages),
})

function refuseMore(count: number): void {
  if (count >= MAX_PASSKEYS)
    throw fail(
      'impossibleNow',
      `You already have ${MAX_PASSKEYS} passkeys, which is the limit; delete one that you do not use`,
    )
}

function readName(name: string): string {
  if (name === '' || name.length > MAX_NAME_LENGTH || !isLine(name))
    throw fail('validationFailed', `name must be 1 to ${MAX_NAME_LENGTH} characters, without control characters`)
  return name.normalize('NFC')
}

const notFound = () => fail('notFound', 'There is no passkey with this id')

function tell(
  tx: Tx,
  who: Caller,
  what: { personId: number; handle: string; verb: 'added' | 'removed'; names: readonly string[] },
  messages: MessagePolicy,
): Promise<void> {
  const { personId, handle, verb, names } = what
  const quoted = names.map((name) => `“${name}”`).join(', ')
  const [one, were] = names.length === 1 ? ['passkey', 'was'] : ['passkeys', 'were']
  const did = verb === 'added' ? 'created' : 'deleted'
  const text = `The ${one} ${quoted} ${were} ${did} ${verb === 'added' ? 'for' : 'from'} your account ${handle}.

If it was you, you don’t need to do anything.

If it wasn’t you, change your password immediately, delete any passkeys you don’t recognise, and contact an administrator:

${messages.url}/account/security
`
  const subject = `${names.length === 1 ? 'Passkey' : 'Passkeys'} ${did} (${handle})`
  return tellPerson(tx, who, { personId, kind: `passkey.${verb}`, subject, text }, messages)
}

/** Returns the passkeys for the data export, with credential ids but without public keys. */
export async function exportPasskeys(db: Db, personId: number) {
  return (await db.all(store.listOfPerson, { person: personId })).map((row) => ({
    passkeyId: row.id,
    credentialId: row.credential_id,
    name: row.name,
    transports: row.transports,
    createdDate: row.created_at,
    lastUsedDate: row.last_used_at,
  }))
}

const KEPT_AT_ONCE = 500

/**
 * Stores the user handles of older passkeys, which were derived from the oldest key, so that the passkeys still work
 * after that key is removed.
 */
export async function keepUserHandles(db: Db, { userKeys }: RelyingParty): Promise<void> {
  let after: string | null = null
  for (;;) {
    const rows: { id: string; person_id: number }[] = await db.all(store.listWithoutHandle, {
      after,
      limit: KEPT_AT_ONCE,
    })
    const handles = rows.map((row) => userHandleOf(userKeys.at(-1)!, row.person_id).toString('hex'))
    if (rows.length > 0) await db.all(store.keepHandles, { ids: rows.map(({ id }) => id), handles })
    if (rows.length < KEPT_AT_ONCE) return
    after = rows.at(-1)!.id
  }
}

export const relyingParty = service(
  ({ name, url, keyFor, keysFor }): RelyingParty => ({
    id: new URL(url).hostname,
    name: name === 'production' ? 'Groundschool' : 'Groundschool Sandbox',
    origin: new URL(url).origin,
    userKeys: keysFor('passkey-user'),
    challengeKey: keyFor('passkey-challenge'),
    nameSuffix: name === 'production' ? '' : ' (sandbox)',
  }),
)
