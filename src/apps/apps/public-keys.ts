import { createPublicKey, type KeyObject } from 'node:crypto'
import { fail, PlatformError } from '../../kernel/errors.ts'

/** Enough for a few servers, each with a key in use and the next one. */
const MAX_KEYS = 10
const TOO_MANY = `have at most ${MAX_KEYS} keys`
/** Ten RSA keys of 4,096 bits are half as long. */
const MAX_LENGTH = 16_000
/** RFC 7518 §3.3 */
const MIN_RSA_BITS = 2048
/** Longer keys only cost time to verify. */
const MAX_RSA_BITS = 8192
const MAX_KID_LENGTH = 200

/** The curves, with the algorithm that each signs with (RFC 7518 §3.4, RFC 8037). */
const CURVES: Readonly<Record<string, readonly string[]>> = {
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  Ed25519: ['EdDSA', 'Ed25519'],
}
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']

/** All algorithms that apps may sign assertions with. None is symmetric. */
export const ASSERTION_ALGORITHMS: readonly string[] = [...RSA_ALGORITHMS, ...Object.values(CURVES).flat()]

/** A public key of an app, with exactly the members that its type needs (RFC 7518 §6). */
export interface PublicJwk {
  readonly kty: string
  readonly kid?: string
  readonly alg?: string
  readonly n?: string
  readonly e?: string
  readonly crv?: string
  readonly x?: string
  readonly y?: string
}

function wrong(must: string): PlatformError {
  const refusal = fail('validationFailed', `publicKeys must ${must}`)
  refusal.faults = [{ pointer: '/publicKeys', must }]
  return refusal
}

/** The end of a sentence that begins with "must". */
const NOT_PRIVATE =
  'not contain a private key: nobody but your servers may have it, so replace that key, and send only the public key'

/**
 * Reads public keys that a developer pasted: a JWKS document (RFC 7517 §5), one JWK, or keys in PEM, which may also
 * follow a document. Throws if a key is private, symmetric or weak.
 */
export function readPublicKeys(text: string): PublicJwk[] {
  const trimmed = text.trim()
  if (trimmed === '') return []
  const keys = trimmed.startsWith('{') ? readDocumentAndPem(trimmed) : readPem(trimmed)
  if (keys.length > MAX_KEYS) throw wrong(TOO_MANY)
  const kids = keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]))
  if (new Set(kids).size < kids.length) throw wrong('not have two keys with the same kid')
  if (JSON.stringify(keys).length > MAX_LENGTH) throw wrong(`have at most ${MAX_LENGTH} characters`)
  return keys
}

/** Returns what is wrong with public keys, as the end of a sentence that begins with "must". */
export function findKeysMistake(text: string): string | undefined {
  try {
    readPublicKeys(text)
    return undefined
  } catch (error) {
    const [fault] = error instanceof PlatformError ? (error.faults ?? []) : []
    if (!fault) throw error
    return (fault as { must: string }).must
  }
}

/** Reads a document, and keys in PEM after it. No string of JSON contains a line break, so the first block is found. */
function readDocumentAndPem(text: string): PublicJwk[] {
  const end = text.indexOf('\n-----BEGIN ')
  return end < 0 ? readDocument(text) : [...readDocument(text.slice(0, end)), ...readPem(text.slice(end))]
}

function readDocument(text: string): PublicJwk[] {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw wrong('be a JWKS document, or public keys in PEM: this is not valid JSON')
  }
  const { keys = [document] } = document as { keys?: unknown }
  if (!Array.isArray(keys) || keys.length === 0) throw wrong('have a key')
  if (keys.length > MAX_KEYS) throw wrong(TOO_MANY)
  return keys.map(readJwk)
}

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

function readJwk(given: unknown): PublicJwk {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw wrong('have keys that are objects')
  const jwk = given as Record<string, unknown>
  if (jwk.kty === 'oct') throw wrong('not contain a symmetric key, which is a secret and not a public key')
  if (PRIVATE_MEMBERS.some((name) => Object.hasOwn(jwk, name))) throw wrong(NOT_PRIVATE)
  if (jwk.use !== undefined && jwk.use !== 'sig') throw wrong('have keys for signatures (use is sig)')
  const { kid, alg } = jwk
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > MAX_KID_LENGTH))
    throw wrong(`have as kid a text of at most ${MAX_KID_LENGTH} characters`)
  const shown = describeKey(importKey(jwk))
  if (alg !== undefined && !algorithmsOf(shown).includes(String(alg)))
    throw wrong('have as alg an algorithm that fits the key')
  return { ...shown, ...(kid !== undefined && { kid: String(kid) }), ...(alg !== undefined && { alg: String(alg) }) }
}

function importKey(jwk: Record<string, unknown>): KeyObject {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' })
  } catch {
    throw wrong('have no key that is damaged or of an unknown type')
  }
}

const PEM = /-----BEGIN ([A-Z ]+)-----[A-Za-z0-9+/=\s]+-----END \1-----/g

function readPem(text: string): PublicJwk[] {
  if (/PRIVATE KEY/.test(text)) throw wrong(NOT_PRIVATE)
  const blocks = text.match(PEM) ?? []
  if (blocks.length === 0 || text.replaceAll(PEM, '').trim() !== '')
    throw wrong('be a JWKS document, or public keys in PEM')
  if (blocks.length > MAX_KEYS) throw wrong(TOO_MANY)
  return blocks.map((block) => {
    try {
      return describeKey(createPublicKey(block))
    } catch (error) {
      if ((error as Error).name === 'PlatformError') throw error
      throw wrong('have no key in PEM that is damaged or not public')
    }
  })
}

/** Returns the public members of a key. Throws if the key is weak, or of a type that signs nothing. */
function describeKey(key: KeyObject): PublicJwk {
  const { kty, n, e, crv, x, y } = key.export({ format: 'jwk' }) as PublicJwk
  if (kty === 'RSA') {
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0
    if (key.asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS)
      throw wrong(`have RSA keys of at least ${MIN_RSA_BITS} bits`)
    if (bits > MAX_RSA_BITS) throw wrong(`have RSA keys of at most ${MAX_RSA_BITS} bits`)
    // A large exponent makes each verification slow.
    if ((key.asymmetricKeyDetails?.publicExponent ?? 0n) > 0xffffffffn)
      throw wrong('have RSA keys whose exponent has at most 32 bits')
    return { kty, n: n!, e: e! }
  }
  if (crv === undefined || !Object.hasOwn(CURVES, crv))
    throw wrong(`have RSA keys, or keys on one of the curves ${Object.keys(CURVES).join(', ')}`)
  return { kty, crv, x: x!, ...(y !== undefined && { y }) }
}

/** Returns the algorithms that a key may be used with. The key decides, not the token. */
export const algorithmsOf = ({ kty, crv, alg }: PublicJwk): readonly string[] =>
  alg !== undefined ? [alg] : kty === 'RSA' ? RSA_ALGORITHMS : (CURVES[crv!] ?? [])
