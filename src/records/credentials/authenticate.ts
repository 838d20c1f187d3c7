import { matchSecret } from '../../apps/apps/secrets.ts'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { clientSubject, countFailures, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { accountAgent } from '../statements/model/names.ts'
import type { Agent } from '../statements/model/statement.ts'
import { inspectKey } from './keys.ts'
import { expand, type Scope } from './scopes.ts'
import * as store from './store.ts'

/** A key whose secret has been verified. */
export interface KeyHolder {
  readonly credentialId: number
  readonly key: string
  readonly scopes: ReadonlySet<Scope>
  readonly authority: Agent
  readonly usesLibrary: boolean
  readonly expiresAtMs: number
  readonly secretId: number
  /** When this process last stored the time at which the secret was used. */
  notedMs: number
}

export interface KeyPolicy {
  readonly environment: EnvironmentName
  readonly secretHashKeys: readonly Buffer[]
  readonly homePage: string
}

/**
 * Checks a key and its secret against the database; throws if they are wrong, or if the key is revoked, suspended or
 * expired. Only a caller with the right secret learns which of these three it is.
 */
export async function authenticateKey(
  db: Db,
  who: Caller,
  { key, secret }: { key: string; secret: string },
  { environment, secretHashKeys, homePage }: KeyPolicy,
): Promise<KeyHolder> {
  const form = inspectKey(key, environment)
  if (form === 'foreign')
    throw fail('unknownClient', `This key was created in the other environment; this is ${environment}`)
  const guesser = [clientSubject(who, key)] as const
  const [row] =
    form === 'good' ? await Promise.all([db.first(store.findByKey, { key }), refuseBlocked(db, who, guesser)]) : []
  if (!row) throw fail('unknownClient', 'The record store has no such key; an administrator can create one')
  const stored = row.secrets.map((hash) => Buffer.from(hash, 'hex'))
  const match = matchSecret(stored, secret, secretHashKeys)
  if (!match) {
    await db.transaction(async (tx) => {
      await countFailures(tx, who, guesser)
      await recordAudit(tx, who, { action: 'credential.wrong-secret', detail: { key } })
    })
    throw fail('wrongCredentials', 'The secret does not belong to this key')
  }
  const secretId = Number(row.secret_ids[match.index])
  if (!match.isCurrent) await db.first(store.rehashSecret, { secret: secretId, hash: match.current, now: who.at })
  if (row.revoked_at) throw fail('wrongCredentials', 'This key was revoked; an administrator can create another one')
  if (row.suspended_at) throw fail('wrongCredentials', 'This key is suspended; contact an administrator')
  const holder: KeyHolder = {
    credentialId: row.id,
    key,
    scopes: expand(row.scopes as Scope[]),
    authority: row.authority === null ? accountAgent(homePage, key, row.name) : (JSON.parse(row.authority) as Agent),
    usesLibrary: row.uses_library,
    expiresAtMs: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    secretId,
    notedMs: Number(row.secrets_used[match.index]) * 1000,
  }
  refuseExpired(who, holder)
  return holder
}

export function refuseExpired({ at }: Caller, { expiresAtMs }: KeyHolder): void {
  if (at.getTime() >= expiresAtMs)
    throw fail('wrongCredentials', 'This key has expired; an administrator can extend it, or create another one')
}

/**
 * The time of a secret's last use is stored at most once a minute, because a write for each request would cost too
 * much.
 */
const NOTED_EVERY_MS = 60_000

export async function noteUse(db: Db, { at }: Caller, holder: KeyHolder): Promise<void> {
  if (at.getTime() - holder.notedMs < NOTED_EVERY_MS) return
  // Set before the write, so that concurrent requests do not write as well.
  holder.notedMs = at.getTime()
  await db.first(store.touchSecret, { secret: holder.secretId, now: at })
}
