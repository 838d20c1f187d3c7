import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { clientSubject, countFailures, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { readScopes, type Scopes } from '../../kernel/scopes.ts'
import { isForeignClientId, whyUnknown } from './apps.ts'
import { matchSecret } from './secrets.ts'
import * as store from './store.ts'

/** An app in its role as an OAuth client. */
export interface Client {
  readonly id: number
  readonly clientId: string
  readonly name: string
  /** The owner as shown to people: the name of the organisation or the handle of the person. */
  readonly owner: string | undefined
  readonly isPublic: boolean
  readonly isPkceRequired: boolean
  readonly isImplicitEnabled: boolean
  readonly isDeviceEnabled: boolean
  readonly redirectUris: readonly string[]
  /** The scopes that it may ask for; all if undefined. */
  readonly scopes: Scopes
  readonly secrets: readonly { readonly hash: Buffer; readonly lastUsedMs: number }[]
}

/**
 * Reads the approved app with this client ID. `unknown` is the error for an unknown client ID; it differs by endpoint.
 */
export async function readClient(
  db: Db,
  clientId: string,
  unknown: 'noSuchApp' | 'unknownClient',
  environment: EnvironmentName,
): Promise<Client> {
  const row = await db.first(store.findClient, { client: clientId })
  if (!row)
    throw fail(isForeignClientId(clientId, environment) ? 'appNotUsable' : unknown, whyUnknown(clientId, environment))
  if (row.status !== 'approved')
    throw fail('appNotUsable', `The app ${clientId} is ${row.status}; contact an administrator`)
  return {
    id: row.id,
    clientId: row.client_id,
    name: row.name,
    owner: row.owner ?? undefined,
    isPublic: row.public_client,
    // A public app has no secret, so PKCE is its only proof.
    isPkceRequired: row.pkce_required || row.public_client,
    isImplicitEnabled: row.implicit_enabled,
    isDeviceEnabled: row.device_enabled,
    redirectUris: row.redirect_uris,
    scopes: readScopes(row.scopes),
    secrets: row.secrets.map((hash, i) => ({
      hash: Buffer.from(hash, 'hex'),
      lastUsedMs: Number(row.secrets_used[i]) * 1000,
    })),
  }
}

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string | undefined
}

/** The last use of a secret is recorded at most once a minute, so that not every request causes a write. */
const TOUCH_EVERY_MS = 60_000

export interface ClientPolicy {
  readonly environment: EnvironmentName
  readonly secretHashKeys: readonly Buffer[]
}

/** Authenticates an app (RFC 6749 §2.3). Throws unless it sent one of its secrets or, if it is public, no secret. */
export async function authenticateClient(
  db: Db,
  who: Caller,
  { clientId, clientSecret }: ClientCredentials,
  { environment, secretHashKeys }: ClientPolicy,
): Promise<Client> {
  const guesser = [clientSubject(who, clientId)] as const
  const [client] = await Promise.all([
    readClient(db, clientId, 'unknownClient', environment),
    refuseBlocked(db, who, guesser),
  ])
  if (client.isPublic) {
    if (clientSecret === undefined) return client
    throw fail('wrongCredentials', 'This app is a public client and has no secret; leave out client_secret')
  }
  if (clientSecret === undefined) throw fail('wrongCredentials', 'client_secret is missing')
  const stored = client.secrets.map(({ hash }) => hash)
  const match = matchSecret(stored, clientSecret, secretHashKeys)
  if (!match) {
    await db.transaction(async (tx) => {
      await countFailures(tx, who, guesser)
      await recordAudit(tx, who, { action: 'app.wrong-secret', appId: client.id })
    })
    throw fail('wrongCredentials', 'client_secret does not belong to this client_id')
  }
  const { hash, lastUsedMs } = client.secrets[match.index]!
  if (!match.isCurrent || who.at.getTime() - lastUsedMs > TOUCH_EVERY_MS)
    await db.first(store.touchSecret, { app: client.id, hash, current: match.current, now: who.at })
  return client
}
