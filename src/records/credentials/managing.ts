import { hashSecret, MAX_SECRETS, makeSecret, secretHashKeys } from '../../apps/apps/secrets.ts'
import { type AuditEntry, recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { notify } from '../../kernel/database/listener.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { readName } from '../../kernel/lines.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { findAgentFaults } from '../statements/faults/faults.ts'
import { accountAgent, bases } from '../statements/model/names.ts'
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
  NewStoreSecret,
} from './schema.ts'
import { isScope, SCOPES, type Scope } from './scopes.ts'
import * as store from './store.ts'

/**
 * An administrator, or the operator at the command line, who has no `personId`. The route or command has already
 * checked their permission.
 */
type Manager = Caller & { readonly personId?: number }
type Services = Pick<Environment, 'name' | 'get'>

export interface NewKey {
  readonly name: string
  readonly scopes: readonly string[]
  /** Must be a valid agent; `addCredential` does not check it. */
  readonly authority?: unknown
  readonly usesLibrary?: boolean | undefined
  readonly expiresDate?: string | undefined
}

/** Makes a key and its secret. The secret is returned only here, because only its hash is stored. */
export function addCredential(
  db: Db,
  who: Manager,
  what: NewKey,
  services: Services,
): Promise<{ credentialId: number; key: string; secret: string }> {
  const name = readName(what.name)
  const scopes = readScopes(what.scopes)
  const expires = readExpiry(who, what.expiresDate)
  const key = makeKey(services.name)
  return db.transaction(async (tx) => {
    const row = await tx.first(store.insertCredential, {
      ...{ key, name, scopes, expires },
      authority: what.authority === undefined ? null : JSON.stringify(what.authority),
      library: what.usesLibrary ?? false,
      person: who.personId ?? null,
      now: who.at,
    })
    const credentialId = row!.id
    const secret = await insertSecret(tx, who, credentialId, services)
    const detail = { name, scopes: scopes.join(' '), ...(expires && { expires: expires.toISOString() }) }
    await audit(tx, who, 'credential.added', { key, ...detail })
    return { credentialId, key, secret }
  })
}

const MAX_AUTHORITY_LENGTH = 1000

/** Makes a key after checking its authority, and returns the whole credential with its secret. */
export async function makeCredential(
  db: Db,
  who: Manager,
  what: MakeCredential,
  services: Services,
): Promise<NewCredential> {
  const { authority } = what
  if (authority !== undefined) {
    const [fault] = findAgentFaults(authority, '2.0.0')
    if (fault) throw fail('validationFailed', `authority${fault.pointer} must ${fault.must}`)
    if (authority.objectType === 'Group') throw fail('validationFailed', 'authority must be an agent, not a group')
    // The length is limited because every statement of the key contains the authority.
    if (JSON.stringify(authority).length > MAX_AUTHORITY_LENGTH)
      throw fail('validationFailed', `authority must have at most ${MAX_AUTHORITY_LENGTH} characters`)
  }
  const { key, secret } = await addCredential(db, who, what, services)
  return { ...(await readCredential(db, who, { key }, services)), secret }
}

export async function listCredentials(
  db: Db,
  who: Caller,
  what: ListCredentials,
  services: Services,
): Promise<Page<Credential>> {
  const rows = await db.all(store.listCredentials[what.sort ?? '-created'], spanOf(what))
  return pageOf(
    rows.map((row) => toCredential(row, who.at, services)),
    rows[0]?.total ?? 0,
    what,
  )
}

async function readCredential(db: Db, who: Caller, { key }: NameCredential, services: Services): Promise<Credential> {
  const row = await db.first(store.findShown, { key })
  if (!row) throw unknownKey()
  return toCredential(row, who.at, services)
}

/** Changes the given fields. The change takes effect immediately on every process. */
export function changeCredential(
  db: Db,
  who: Manager,
  { key, ...what }: ChangeCredential,
  services: Services,
): Promise<Credential> {
  const { usesLibrary, neverExpires = false, suspended } = what
  const name = what.name === undefined ? undefined : readName(what.name)
  const scopes = what.scopes === undefined ? undefined : readScopes(what.scopes)
  const expires = readExpiry(who, what.expiresDate)
  if (expires && neverExpires) throw fail('validationFailed', 'Send expiresDate or neverExpires, not both')
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
    return readCredential(tx, who, { key }, services)
  })
}

/** Revokes a key permanently, with immediate effect on every process. Revoking it again changes nothing. */
export function revokeCredential(db: Db, who: Manager, { key }: NameCredential): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.lockCredential, { key })
    if (!row) throw unknownKey()
    if (!(await tx.first(store.revokeCredential, { credential: row.id, now: who.at }))) return
    await audit(tx, who, 'credential.revoked', { key })
    await notify(tx, CREDENTIALS_CHANGED, { credentialId: row.id })
  })
}

/**
 * Adds a second secret. Both are valid until the old one is dropped, so that clients can switch without an
 * interruption.
 */
export function addSecret(db: Db, who: Manager, { key }: NameCredential, services: Services): Promise<NewStoreSecret> {
  return change(db, key, async (tx, credential) => {
    const found = await tx.first(store.countSecrets, { credential })
    if (found && found.count >= MAX_SECRETS)
      throw fail('impossibleNow', `The key already has ${MAX_SECRETS} secrets; revoke the old one first`)
    const secret = await insertSecret(tx, who, credential, services)
    await audit(tx, who, 'credential.secret-added', { key })
    return { key, secret }
  })
}

/** Removes all secrets of a key except the newest. */
export function dropOldSecrets(db: Db, who: Manager, { key }: NameCredential, services: Services): Promise<Credential> {
  return change(db, key, async (tx, credential) => {
    const dropped = (await tx.all(store.deleteOldSecrets, { credential })).length
    if (dropped > 0) await audit(tx, who, 'credential.secrets-dropped', { key, count: dropped })
    return readCredential(tx, who, { key }, services)
  })
}

/**
 * Changes a key in a transaction that holds its row lock. The commit notifies all processes, which drop the key from
 * their caches.
 */
function change<T>(db: Db, key: string, work: (tx: Tx, credentialId: number) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    const row = await tx.first(store.lockCredential, { key })
    if (!row) throw unknownKey()
    if (row.revoked_at) throw fail('impossibleNow', 'This key was revoked and cannot be restored; create another one')
    const result = await work(tx, row.id)
    await notify(tx, CREDENTIALS_CHANGED, { credentialId: row.id })
    return result
  })
}

async function insertSecret(tx: Tx, who: Manager, credential: number, { name, get }: Services): Promise<string> {
  const secret = makeSecret(name)
  await tx.first(store.insertSecret, { credential, hash: hashSecret(secret, get(secretHashKeys)[0]!), now: who.at })
  return secret
}

/** Records a change in the audit log, with the administrator's person id. A change at the command line has none. */
const audit = (
  tx: Tx,
  who: Manager,
  action: AuditEntry['action'],
  detail: NonNullable<AuditEntry['detail']>,
): Promise<void> =>
  recordAudit(tx, who, { action, ...(who.personId === undefined ? {} : { personId: who.personId }), detail })

/** Lists keys with a secret that was not used since the secret key was changed, and so needs the previous one. */
export const listUnusedKeys = async (db: Db, what: { since: Date; limit: number }): Promise<string[]> =>
  (await db.all(store.listUnused, what)).map((row) => row.key)

const unknownKey = () => fail('notFound', 'The record store has no such key')

function readScopes(given: readonly string[]): Scope[] {
  if (given.length === 0 || !given.every(isScope))
    throw fail('validationFailed', `scopes must be some of ${SCOPES.join(', ')}`)
  return SCOPES.filter((one) => given.includes(one))
}

function readExpiry(who: Caller, text: string | undefined): Date | null {
  if (text === undefined) return null
  const expires = new Date(text)
  if (!(expires > who.at)) throw fail('validationFailed', 'expiresDate must be in the future')
  return expires
}

function statusOf(row: RowOf<typeof store.findShown>, at: Date): CredentialStatus {
  if (row.revoked_at) return 'revoked'
  if (row.expires_at && row.expires_at <= at) return 'expired'
  return row.suspended_at ? 'suspended' : 'active'
}

function toCredential(row: RowOf<typeof store.findShown>, at: Date, { get }: Services): Credential {
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
    createdDate: row.created_at,
    expiresDate: row.expires_at?.toISOString() ?? null,
    suspendedDate: row.suspended_at,
    revokedDate: row.revoked_at,
    secrets,
  }
}
