import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { EnvironmentName } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail, PlatformError } from '../../kernel/errors.ts'
import { clientSubject, countFailures, refuseBlocked } from '../../kernel/lockouts/lockouts.ts'
import { readScopes, type Scopes } from '../../kernel/scopes.ts'
import { ALGORITHMS, type Algorithm } from './algorithms.ts'
import { isForeignClientId, whyUnknown } from './apps.ts'
import { type Assertion, verifyAssertion } from './assertions.ts'
import type { PublicJwk } from './public-keys.ts'
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
  /** How it proves that it is this app. A public app proves nothing. */
  readonly authMethod: 'client_secret' | 'private_key_jwt'
  readonly publicKeys: readonly PublicJwk[]
  /** The algorithm of its ID tokens. */
  readonly idTokenAlgorithm: Algorithm
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
    authMethod: row.token_auth_method === 'private_key_jwt' ? 'private_key_jwt' : 'client_secret',
    publicKeys: row.public_keys === null ? [] : (JSON.parse(row.public_keys) as PublicJwk[]),
    idTokenAlgorithm: (row.id_token_algorithm ?? ALGORITHMS[0]) as Algorithm,
    secrets: row.secrets.map((hash, i) => ({
      hash: Buffer.from(hash, 'hex'),
      lastUsedMs: Number(row.secrets_used[i]) * 1000,
    })),
  }
}

export interface ClientCredentials {
  readonly clientId: string
  readonly clientSecret: string | undefined
  /** A signed JWT, for apps with private_key_jwt. */
  readonly assertion?: Assertion | undefined
}

/** The last use of a secret is recorded at most once a minute, so that not every request causes a write. */
const TOUCH_EVERY_MS = 60_000

export interface ClientPolicy {
  readonly environment: EnvironmentName
  readonly secretHashKeys: readonly Buffer[]
  /** The names of this platform that assertions may be addressed to; none in the `own` dialect. */
  readonly audiences?: readonly string[]
}

/**
 * Authenticates an app (RFC 6749 §2.3). Throws unless it sent one of its secrets or a new assertion or, if it is
 * public, neither.
 */
export async function authenticateClient(
  db: Db,
  who: Caller,
  { clientId, clientSecret, assertion }: ClientCredentials,
  { environment, secretHashKeys, audiences = [] }: ClientPolicy,
): Promise<Client> {
  const guesser = [clientSubject(who, clientId)] as const
  const [client] = await Promise.all([
    readClient(db, clientId, 'unknownClient', environment),
    refuseBlocked(db, who, guesser),
  ])
  if (client.isPublic) {
    if (clientSecret === undefined && assertion === undefined) return client
    throw fail('wrongCredentials', 'This app is a public client and has no secret; leave out client_secret')
  }
  if (client.authMethod === 'private_key_jwt' || assertion !== undefined) {
    await authenticateWithKey(db, who, client, { assertion, audiences })
    return client
  }
  if (clientSecret === undefined) throw fail('wrongCredentials', 'client_secret is missing')
  const stored = client.secrets.map(({ hash }) => hash)
  const match = matchSecret(stored, clientSecret, secretHashKeys)
  if (!match) {
    await noteFailure(db, who, client)
    throw fail('wrongCredentials', 'client_secret does not belong to this client_id')
  }
  const { hash, lastUsedMs } = client.secrets[match.index]!
  if (!match.isCurrent || who.at.getTime() - lastUsedMs > TOUCH_EVERY_MS)
    await db.first(store.touchSecret, { app: client.id, hash, current: match.current, now: who.at })
  return client
}

const noteFailure = (db: Db, who: Caller, { id: appId, clientId }: Client): Promise<void> =>
  db.transaction(async (tx) => {
    await countFailures(tx, who, [clientSubject(who, clientId)])
    await recordAudit(tx, who, { action: 'app.wrong-secret', appId })
  })

async function authenticateWithKey(
  db: Db,
  who: Caller,
  client: Client,
  { assertion, audiences }: { assertion: Assertion | undefined; audiences: readonly string[] },
): Promise<void> {
  if (client.authMethod !== 'private_key_jwt')
    throw fail('wrongCredentials', 'This app uses a client secret; register its public keys to use client_assertion')
  if (assertion === undefined)
    throw fail('wrongCredentials', 'This app uses private_key_jwt: send client_assertion to /oauth/v2/token')
  const { id: appId, clientId, publicKeys: keys } = client
  try {
    await verifyAssertion(db, who, assertion, { appId, clientId, keys, audiences })
  } catch (error) {
    if (error instanceof PlatformError) await noteFailure(db, who, client)
    throw error
  }
}
