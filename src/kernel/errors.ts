/**
 * Every error that the platform reports on purpose, with its HTTP status, code and text. `docs/errors.md` is generated
 * from this table, and a test checks that it is up to date.
 */
const CATALOGUE = {
  badRequest: [400, 4000, 'The request is malformed'],
  parameterMissing: [400, 4001, 'A parameter is missing'],
  duplicate: [400, 4002, 'This already exists, or the response type is not supported'],
  validationFailed: [400, 4003, 'A value is not valid'],
  wrongUserType: [400, 4004, 'Users of this type cannot do this'],
  wrongType: [400, 4005, 'A parameter has the wrong type'],
  impossibleNow: [400, 4006, 'This is not possible in the current state'],
  storageFull: [400, 4007, 'The app has used up its storage; delete something, or ask an administrator for more'],
  alreadyUsed: [400, 4008, 'This code or token was already used'],
  tokenExpired: [401, 4010, 'Token refresh required'],
  wrongCredentials: [401, 4011, 'The credentials are wrong'],
  unknownClient: [401, 4012, 'Unknown client or key'],
  appNotUsable: [401, 4013, 'This app is unknown to this environment, not approved or suspended'],
  permissionMissing: [401, 4014, 'A permission is missing'],
  unknownCode: [401, 4015, 'This code is malformed or unknown'],
  notAuthorized: [401, 4016, 'The request has no authorization'],
  scopeMissing: [401, 4017, 'The app does not have this scope'],
  consentMissing: [401, 4019, 'The user has not consented to this app'],
  forbidden: [403, 4032, 'The user does not have permission'],
  authorizationIncomplete: [403, 4033, 'The authorization request is incomplete'],
  tokenInvalid: [403, 4034, 'This token is invalid or was revoked; sign in again'],
  notForAnonymous: [403, 4035, 'Anonymous users cannot do this'],
  noSuchApp: [404, 4041, 'There is no app with this client ID'],
  notFound: [404, 4042, 'Not found'],
  methodNotAllowed: [
    405,
    4050,
    'This path does not support this method; the Allow header lists those that it supports',
  ],
  conflict: [409, 4091, 'This conflicts with the current state'],
  preconditionFailed: [412, 4121, 'This has changed in the meantime, or already exists; read it again'],
  bodyTooLarge: [413, 4131, 'The body is too large'],
  unsupportedMediaType: [415, 4151, 'This media type is not supported; send application/json'],
  expectationFailed: [417, 4171, 'This expectation cannot be met; leave out the Expect header'],
  tooManyRequests: [429, 4291, 'Too many requests; try again later'],
  internal: [500, 5000, 'Something went wrong on our side; include the request id when you report it'],
  notReady: [503, 5030, 'The platform is not ready; try again shortly'],
  pluginTimeout: [504, 5040, 'A plugin did not respond in time; try again later'],
} as const satisfies Record<string, readonly [status: number, code: number, text: string]>

export type ErrorName = keyof typeof CATALOGUE

/** An error that the platform reports on purpose: the caller gets its status, code and message. */
export class PlatformError extends Error {
  readonly kind: ErrorName
  readonly status: number
  readonly code: number
  /** Seconds after which the caller should retry; sent as `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  /** OAuth error name (RFC 6749 §5.2 and others), if it differs from the default of this error kind in OAUTH_NAMES. */
  readonly oauthName: string | undefined

  /** The individual faults, for requests that can have several. */
  faults: readonly object[] | undefined

  constructor(kind: ErrorName, description?: string, retryAfterSeconds?: number, oauthName?: string) {
    const [status, code, text] = CATALOGUE[kind]
    super(description ?? text)
    this.name = 'PlatformError'
    this.kind = kind
    this.status = status
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
    this.oauthName = oauthName
  }
}

/**
 * Creates an error: `throw fail('notFound', 'There is no bucket with that id')`. The description defaults to the text
 * in the catalogue.
 */
export const fail = (kind: ErrorName, description?: string, retryAfterSeconds?: number): PlatformError =>
  new PlatformError(kind, description, retryAfterSeconds)

/** Description of `storageFull` for records: statements, notes, attempts and documents. */
export const RECORDS_FULL =
  'The storage for records of this user, app or key is used up; delete something, or ask an administrator for more'

/** Creates an error with a specific OAuth error name, such as `authorization_pending` or `unsupported_grant_type`. */
export const failOauth = (oauthName: string, kind: ErrorName, description?: string): PlatformError =>
  new PlatformError(kind, description, undefined, oauthName)

/** OAuth error name of each error kind; `invalid_request` for kinds that are not listed. */
const OAUTH_NAMES: Partial<Record<ErrorName, string>> = {
  alreadyUsed: 'invalid_grant',
  unknownCode: 'invalid_grant',
  tokenInvalid: 'invalid_grant',
  consentMissing: 'invalid_grant',
  wrongCredentials: 'invalid_client',
  unknownClient: 'invalid_client',
  appNotUsable: 'invalid_client',
  notAuthorized: 'invalid_client',
  permissionMissing: 'unauthorized_client',
  scopeMissing: 'invalid_scope',
  tooManyRequests: 'temporarily_unavailable',
  notReady: 'temporarily_unavailable',
  internal: 'server_error',
}

/** Error names of RFC 6750 §3.1. Only errors about an access token have such a name. */
export const BEARER_NAMES: Partial<Record<ErrorName, 'invalid_token' | 'insufficient_scope'>> = {
  tokenExpired: 'invalid_token',
  tokenInvalid: 'invalid_token',
  notAuthorized: 'invalid_token',
  appNotUsable: 'invalid_token',
  consentMissing: 'invalid_token',
  permissionMissing: 'insufficient_scope',
  scopeMissing: 'insufficient_scope',
  notForAnonymous: 'insufficient_scope',
}

export const oauthNameOf = (error: PlatformError): string =>
  error.oauthName ?? OAUTH_NAMES[error.kind] ?? 'invalid_request'

/**
 * A problem that the operator must fix before the platform can start. It is shown as one sentence without a stack
 * trace.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

export const listErrors = (): { kind: ErrorName; status: number; code: number; text: string }[] =>
  Object.entries(CATALOGUE).map(([kind, [status, code, text]]) => ({ kind: kind as ErrorName, status, code, text }))
