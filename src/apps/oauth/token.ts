import type { Caller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail, failOauth, type PlatformError } from '../../kernel/errors.ts'
import { refreshSession } from '../../kernel/sessions/refresh.ts'
import { endSession, type TokenPair, type TokenPolicy } from '../../kernel/sessions/sessions.ts'
import { authenticateClient, type Client } from '../apps/clients.ts'
import { redeemDevice } from '../devices/devices.ts'
import type { Dialect } from './authorize.ts'
import { redeemCode } from './codes.ts'

export interface TokenRequest {
  readonly grant_type?: string
  readonly client_id?: string
  readonly client_secret?: string
  readonly client_assertion?: string
  readonly client_assertion_type?: string
  readonly code?: string
  readonly code_verifier?: string
  readonly redirect_uri?: string
  readonly refresh_token?: string
  readonly device_code?: string
  readonly scope?: string
}

/** The settings and limits of the token operation in one environment. */
export interface TokenDesk {
  readonly dialect: Dialect
  readonly policy: TokenPolicy
  readonly secretHashKeys: readonly Buffer[]
  /** The names of this platform that client assertions may be addressed to. */
  readonly audiences: readonly string[]
  /** Throws if the app exceeds its rate limit. */
  admit(client: Client): void
}

interface Grant {
  readonly rule: string
  readonly dialects: readonly Dialect[]
  /** The required parameters, besides the app's credentials. */
  readonly needs: readonly (keyof TokenRequest)[]
  run(db: Db, who: Caller, client: Client, what: TokenRequest, desk: TokenDesk): Promise<GrantedTokens>
}

/** The nonce is that of the authorization request, for the ID token. */
type GrantedTokens = TokenPair & { readonly nonce?: string }

const GRANTS: Readonly<Record<string, Grant>> = {
  authorization_code: {
    rule: 'RFC 6749 §4.1.3, RFC 7636 §4.5',
    dialects: ['own', 'rfc'],
    needs: ['code'],
    run: (db, who, client, what, { policy, dialect }) =>
      redeemCode(
        db,
        who,
        client,
        { code: what.code!, verifier: what.code_verifier, redirectUri: what.redirect_uri, dialect },
        policy,
      ),
  },
  refresh_token: {
    rule: 'RFC 6749 §6, with the rotation of RFC 9700 §4.14',
    dialects: ['own', 'rfc'],
    needs: ['refresh_token'],
    run: (db, who, client, what, { policy }) =>
      refreshSession(db, who, { appId: client.id, refreshToken: what.refresh_token!, scope: what.scope }, policy),
  },
  'urn:ietf:params:oauth:grant-type:device_code': {
    rule: 'RFC 8628 §3.4',
    dialects: ['rfc'],
    needs: ['device_code'],
    run: (db, who, client, what, { policy }) =>
      redeemDevice(db, who, client, { deviceCode: what.device_code! }, policy),
  },
}

export const grantTypesOf = (dialect: Dialect): string[] =>
  Object.keys(GRANTS).filter((name) => GRANTS[name]!.dialects.includes(dialect))

/** Issues tokens. Checks in this order: known grant type, required parameters, client authentication, rate limit. */
export async function requestTokens(
  db: Db,
  who: Caller,
  what: TokenRequest,
  desk: TokenDesk,
): Promise<GrantedTokens & { readonly client: Client }> {
  const grant = readGrant(what, desk.dialect)
  const missing = grant.needs.find((name) => what[name] === undefined)
  if (missing) throw fail('parameterMissing', `${missing} is missing`)
  const client = await identifyClient(db, who, what, desk)
  const tokens = await grant.run(db, who, client, what, desk)
  if (desk.dialect === 'rfc' && tokens.scopes?.length === 0) throw await endUseless(db, who, tokens)
  return { ...tokens, client }
}

/**
 * Ends a session without any scope, because the app no longer registers those that it asked for: RFC 6749 knows no
 * empty `scope`. The session is ended although this request fails.
 */
async function endUseless(db: Db, who: Caller, { sessionId }: TokenPair): Promise<PlatformError> {
  await endSession(db, who, { sessionId, reason: 'no scope left' })
  return failOauth('invalid_grant', 'tokenInvalid', 'This session has no scope left; sign the user in again')
}

/** Authenticates the app and applies its rate limit. */
export async function identifyClient(
  db: Db,
  who: Caller,
  what: Pick<TokenRequest, 'client_id' | 'client_secret' | 'client_assertion' | 'client_assertion_type'>,
  desk: TokenDesk,
): Promise<Client> {
  const { client_id: clientId, client_secret: clientSecret } = what
  if (clientId === undefined) throw fail('parameterMissing', 'client_id is missing')
  const { secretHashKeys, audiences, policy } = desk
  const assertion =
    what.client_assertion === undefined
      ? undefined
      : { assertion: what.client_assertion, type: what.client_assertion_type }
  const client = await authenticateClient(
    db,
    who,
    { clientId, clientSecret, assertion },
    { environment: policy.environment, secretHashKeys, audiences },
  )
  desk.admit(client)
  return client
}

function readGrant({ grant_type: name }: TokenRequest, dialect: Dialect): Grant {
  if (name === undefined) throw fail('parameterMissing', 'grant_type is missing')
  const grant = Object.hasOwn(GRANTS, name) ? GRANTS[name] : undefined
  if (grant?.dialects.includes(dialect)) return grant
  throw failOauth(
    'unsupported_grant_type',
    'validationFailed',
    `This grant_type is not supported; use ${grantTypesOf(dialect).join(' or ')}`,
  )
}
