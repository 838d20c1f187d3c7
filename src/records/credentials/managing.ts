import { hashSecret, MAX_SECRETS, makeSecret, secretHashKey } from '../../apps/apps/secrets.ts'
import { type AuditEntry, recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { notify } from '../../kernel/database/listener.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { readName } from '../../kernel/lines.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { bases } from '../statements/capture.ts'
import { findAgentFaults } from '../statements/faults.ts'
import { accountAgent } from './agents.ts'
import { CREDENTIALS_CHANGED } from './cache.ts'
import { makeKey } from './keys.ts'
import type {
  ChangeCredential,
  Credential,
  CredentialStatus,
  ListCredentials,
  MakeCredential,
  NameCredential,
  NewCredential,
  NewSecret,
} from './schema.ts'
import { isScope, SCOPES, type Scope } from './scopes.ts'
import * as store from './store.ts'

/** Whoever manages keys: an administrator, or the operator at the command line, who is nobody in particular. That they may is asked before. */
type Manager = Caller & { readonly personId?: number }
type Parts = Pick<Environment, 'name' | 'get'>

export interface NewKey {
  readonly name: string
  readonly scopes: readonly string[]
  /** An agent that was found to be right. */
  readonly authority?: unknown
  readonly usesLibrary?: boolean | undefined
  readonly expiresDate?: string | undefined
}

/** A new key and its secret, which is shown this once. */
export function addCredential(
  parts: Parts,
  db: Db,
  who: Manager,
  what: NewKey,
): Promise<{ credentialId: number; key: string; secret: string }> {
  const name = readName(what.name)
  const scopes = readScopes(what.scopes)
  const expires = readExpiry(who, what.expiresDate)
  const key = makeKey(parts.name)
  return db.transaction(async (tx) => {
    const row = await tx.first(store.insertCredential, {
      ...{ key, name, scopes, expires },
      authority: what.authority === undefined ? null : JSON.stringify(what.authority),
      library: what.usesLibrary ?? false,
      person: who.personId ?? null,
      now: who.at,
    })
    const credentialId = row!.id
    const secret = await insertSecret(parts, tx, who, credentialId)
    const detail = { name, scopes: scopes.join(' '), ...(expires && { expires: expires.toISOString() }) }
    await audit(tx, who, 'credential.added', { key, ...detail })
    return { credentialId, key, secret }
  })
}

const MAX_AUTHORITY_LENGTH = 1000

/** The same with an authority that is looked at, and everything that is shown of it. */
export async function makeCredential(parts: Parts, db: Db, who: Manager, what: MakeCredential): Promise<NewCredential> {
  const { authority } = what
  if (authority !== undefined) {
    const [fault] = findAgentFaults(authority, '2.0.0')
    if (fault) throw fail('validationFailed', `authority${fault.pointer} must ${fault.must}`)
    if (authority.objectType === 'Group') throw fail('validationFailed', 'authority must be an agent, not a group')
    // It is in every statement.
    if (JSON.stringify(authority).length > MAX_AUTHORITY_LENGTH)
      throw fail('validationFailed', `authority must have at most ${MAX_AUTHORITY_LENGTH} characters`)
  }
  const { key, secret } = await addCredential(parts, db, who, what)
  return { ...(await readCredential(parts, db, who, { key })), secret }
}

export async function listCredentials(
  parts: Parts,
  db: Db,
  who: Caller,
  what: ListCredentials,
): Promise<Page<Credential>> {
  const rows = await db.all(store.listCredentials, spanOf(what))
  return pageOf(
    rows.map((row) => toCredential(parts, row, who.at)),
    rows[0]?.total ?? 0,
    what,
  )
}

async function readCredential(parts: Parts, db: Db, who: Caller, { key }: NameCredential): Promise<Credential> {
  const row = await db.first(store.findShown, { key })
  if (!row) throw unknownKey()
  return toCredential(parts, row, who.at)
}

/** Changes what is given; the rest stays. It holds at once, on every process. */
export function changeCredential(
  parts: Parts,
  db: Db,
  who: Manager,
  { key, ...what }: ChangeCredential,
): Promise<Credential> {
  const { usesLibrary, neverExpires = false, suspended } = what
  const name = what.name === undefined ? undefined : readName(what.name)
  const scopes = what.scopes === undefined ? undefined : readScopes(what.scopes)
  const expires = readExpiry(who, what.expiresDate)
  if (expires && neverExpires) throw fail('validationFailed', 'Give expiresDate or neverExpires, not both')
  return change(db, key, async (tx, credential) => {
    await tx.first(store.changeCredential, {
      ...{ credential, expires, now: who.at },
      name: name ?? null,
      scopes: scopes ?? null,
      library: usesLibrary ?? null,
      never: neverExpires,
      suspended: suspended ?? null,
    })
    const detail = {
      ...(name === undefined ? {} : { name }),
      ...(scopes && { scopes: scopes.join(' ') }),
      ...(usesLibrary === undefined ? {} : { usesLibrary }),
      ...(expires && { expires: expires.toISOString() }),
      ...(neverExpires ? { expires: 'never' } : {}),
      ...(suspended === undefined ? {} : { suspended }),
    }
    await audit(tx, who, 'credential.changed', { key, ...detail })
    return readCredential(parts, tx, who, { key })
  })
}

/** For good, and at once on every process. Revoking it again changes nothing. */
export function revokeCredential(db: Db, who: Manager, { key }: NameCredential): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.lockCredential, { key })
    if (!row) throw unknownKey()
    if (!(await tx.first(store.revokeCredential, { credential: row.id, now: who.at }))) return
    await audit(tx, who, 'credential.revoked', { key })
    await notify(tx, CREDENTIALS_CHANGED, { credentialId: row.id })
  })
}

/** A second secret, so that what sends the key can be changed over while both are right. */
export function addSecret(parts: Parts, db: Db, who: Manager, { key }: NameCredential): Promise<NewSecret> {
  return change(db, key, async (tx, credential) => {
    const found = await tx.first(store.countSecrets, { credential })
    if (found && found.count >= MAX_SECRETS)
      throw fail('impossibleNow', `The key has ${MAX_SECRETS} secrets already; drop the old one first`)
    const secret = await insertSecret(parts, tx, who, credential)
    await audit(tx, who, 'credential.secret-added', { key })
    return { key, secret }
  })
}

/** Leaves the newest secret only. */
export function dropOldSecrets(parts: Parts, db: Db, who: Manager, { key }: NameCredential): Promise<Credential> {
  return change(db, key, async (tx, credential) => {
    const dropped = (await tx.all(store.deleteOldSecrets, { credential })).length
    if (dropped > 0) await audit(tx, who, 'credential.secrets-dropped', { key, count: dropped })
    return readCredential(parts, tx, who, { key })
  })
}

/** Until the transaction ends nobody else changes the key, and then no process goes on by what it remembers of it. */
function change<T>(db: Db, key: string, work: (tx: Db, credentialId: number) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.lockCredential, { key })
    if (!row) throw unknownKey()
    if (row.revoked_at) throw fail('impossibleNow', 'This key was revoked and cannot be restored; make another one')
    const result = await work(tx, row.id)
    await notify(tx, CREDENTIALS_CHANGED, { credentialId: row.id })
    return result
  })
}

async function insertSecret({ name, get }: Parts, tx: Db, who: Manager, credential: number): Promise<string> {
  const secret = makeSecret(name)
  await tx.first(store.insertSecret, { credential, hash: hashSecret(secret, get(secretHashKey)), now: who.at })
  return secret
}

/** The log names the administrator; at the command line there is none. */
const audit = (tx: Db, who: Manager, action: string, detail: NonNullable<AuditEntry['detail']>): Promise<void> =>
  recordAudit(tx, who, { action, ...(who.personId === undefined ? {} : { personId: who.personId }), detail })

const unknownKey = () => fail('notFound', 'The record store has no such key')

function readScopes(given: readonly string[]): Scope[] {
  if (given.length === 0 || !given.every(isScope))
    throw fail('validationFailed', `scopes must be some of ${SCOPES.join(', ')}`)
  return SCOPES.filter((one) => given.includes(one))
}

function readExpiry(who: Caller, text: string | undefined): Date | null {
  if (text === undefined) return null
  const expires = new Date(text)
  if (!(expires > who.at)) throw fail('validationFailed', 'expiresDate must be a moment in the future')
  return expires
}

const isoOf = (date: Date | null): string | null => date?.toISOString() ?? null

function statusOf(row: RowOf<typeof store.findShown>, at: Date): CredentialStatus {
  if (row.revoked_at) return 'revoked'
  if (row.expires_at && row.expires_at <= at) return 'expired'
  return row.suspended_at ? 'suspended' : 'active'
}

function toCredential({ get }: Parts, row: RowOf<typeof store.findShown>, at: Date): Credential {
  const secrets = (JSON.parse(row.secrets) as { createdDate: string; lastUsedDate: string | null }[]).map((one) => ({
    createdDate: new Date(one.createdDate).toISOString(),
    lastUsedDate: one.lastUsedDate === null ? null : new Date(one.lastUsedDate).toISOString(),
  }))
  return {
    key: row.key,
    name: row.name,
    status: statusOf(row, at),
    scopes: row.scopes as Scope[],
    authority:
      row.authority === null ? accountAgent(get(bases).homePage, row.key, row.name) : JSON.parse(row.authority),
    usesLibrary: row.uses_library,
    createdBy: row.maker,
    createdDate: row.created_at.toISOString(),
    expiresDate: isoOf(row.expires_at),
    suspendedDate: isoOf(row.suspended_at),
    revokedDate: isoOf(row.revoked_at),
    secrets,
  }
}
