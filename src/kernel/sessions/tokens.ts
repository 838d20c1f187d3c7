import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { EnvironmentName } from '../config.ts'

/**
 * A token consists of a prefix that names its kind and environment, a secret part, and a checksum. So secret scanners
 * can find leaked tokens, and a mistyped token is refused without a database query.
 */
export type TokenKind =
  | 'access'
  | 'refresh'
  | 'secret'
  | 'code'
  | 'device'
  | 'reset'
  | 'browser'
  | 'sign-up'
  | 'calendar'
  | 'fetch'
  | 'launch'

const LETTERS: Record<TokenKind, string> = {
  access: 'at',
  refresh: 'rt',
  secret: 'cs',
  code: 'ac',
  device: 'dc',
  reset: 'pr',
  browser: 'br',
  'sign-up': 'su',
  calendar: 'cf',
  fetch: 'lf',
  launch: 'lt',
}

const prefixOf = (kind: TokenKind, environment: EnvironmentName): string =>
  environment === 'production' ? `gs_${LETTERS[kind]}_` : `gs_sbx_${LETTERS[kind]}_`

const CHECKSUM_LENGTH = 6
const checksum = (text: string): string => {
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(text))
  return sum.toString('base64url')
}

const seal = (kind: TokenKind, environment: EnvironmentName, secret: Buffer): string => {
  const text = prefixOf(kind, environment) + secret.toString('base64url')
  return text + checksum(text)
}

/** Creates a random token of 256 bits. */
export const mintToken = (kind: TokenKind, environment: EnvironmentName): string =>
  seal(kind, environment, randomBytes(32))

/** `foreign` means a well-formed token of the other environment. */
export type TokenForm = 'good' | 'foreign' | 'malformed'

export function inspectToken(token: string, kind: TokenKind, environment: EnvironmentName): TokenForm {
  if (token.length > 200) return 'malformed'
  const body = token.slice(0, -CHECKSUM_LENGTH)
  const other = environment === 'production' ? 'sandbox' : 'production'
  const isForeign = token.startsWith(prefixOf(kind, other))
  if (!isForeign && !token.startsWith(prefixOf(kind, environment))) return 'malformed'
  if (checksum(body) !== token.slice(-CHECKSUM_LENGTH)) return 'malformed'
  return isForeign ? 'foreign' : 'good'
}

/** Returns the error text for a token or code of the other environment. */
export const sayForeign = (what: string, environment: EnvironmentName): string =>
  `This ${what} was issued by the ${environment === 'production' ? 'sandbox' : 'production'} environment; this is ${environment}`

/** Hashes a token. The database contains only this hash. */
export const hashToken = (token: string) => hash('sha256', token, 'buffer')

export interface RefreshClaim {
  readonly sessionId: string
  readonly counter: number
}

const MAC_BYTES = 32

const macOf = (key: Buffer, claim: Buffer): Buffer => createHmac('sha256', key).update(claim).digest()

function packClaim({ sessionId, counter }: RefreshClaim): Buffer {
  const claim = Buffer.alloc(20)
  claim.write(sessionId.replaceAll('-', ''), 'hex')
  claim.writeUInt32BE(counter, 16)
  return claim
}

/** Creates a refresh token: a session id, a counter, and a MAC over both. It is not stored. */
export function mintRefreshToken(key: Buffer, environment: EnvironmentName, of: RefreshClaim): string {
  const claim = packClaim(of)
  return seal('refresh', environment, Buffer.concat([claim, macOf(key, claim)]))
}

/**
 * Derives the access token that belongs to a refresh token: 256 bits computed with the key, so that a repeated refresh
 * returns the same access token.
 */
export const mintAccessToken = (key: Buffer, environment: EnvironmentName, of: RefreshClaim): string =>
  seal('access', environment, macOf(key, packClaim(of)))

/**
 * Verifies a refresh token and returns its claim; undefined if it is malformed, of the other environment, or its MAC is
 * wrong.
 */
export function openRefreshToken(
  keys: readonly Buffer[],
  environment: EnvironmentName,
  token: string,
): RefreshClaim | undefined {
  if (inspectToken(token, 'refresh', environment) !== 'good') return undefined
  const bytes = Buffer.from(token.slice(prefixOf('refresh', environment).length, -CHECKSUM_LENGTH), 'base64url')
  if (bytes.length !== 20 + MAC_BYTES) return undefined
  const claim = bytes.subarray(0, 20)
  if (!keys.some((key) => timingSafeEqual(bytes.subarray(20), macOf(key, claim)))) return undefined
  const hex = claim.toString('hex', 0, 16)
  const sessionId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  return { sessionId, counter: claim.readUInt32BE(16) }
}
