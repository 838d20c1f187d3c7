import type { KeyObject } from 'node:crypto'
import { CompactSign, compactVerify, decodeProtectedHeader, type JWK, type ProtectedHeaderParameters } from 'jose'
import type { Caller } from '../../kernel/caller.ts'
import { type Environment, service } from '../../kernel/environment.ts'
import { ALGORITHMS, type Algorithm } from '../apps/algorithms.ts'
import { type SecretSeal, secretSeal } from '../apps/secrets.ts'
import { createDueKeys, listKeys, openPrivateKey, SIGNING_KEYS, type SigningKey } from './keys.ts'
import { findCurrent, isPublished } from './rules.ts'

/** Keys that were read longer ago are read again, in case a notification was lost. */
const FRESH_MS = 60_000
/** Longest token that is verified. Ours have less than 2,000 characters, unless the nonce is long. */
const TOKEN_LENGTH = 8_000

/** The signing keys of an environment, as the database has them. While notifications may be lost, nothing is cached. */
class KeyRing {
  readonly #environment: Environment
  readonly #opened = new Map<string, KeyObject>()
  #isListening = false
  #changes = 0
  #creating: Promise<unknown> | undefined
  #read: { readonly keys: readonly SigningKey[]; readonly until: number } | undefined

  constructor(environment: Environment) {
    this.#environment = environment
    const forget = () => {
      this.#changes++
      this.#read = undefined
      this.#opened.clear()
    }
    environment.db.onListening((isListening) => {
      this.#isListening = isListening
      forget()
    })
    environment.db.onMessage(SIGNING_KEYS, forget)
  }

  /** Returns all keys. Creates those that are missing, so each algorithm has a current key. */
  async keys(who: Caller): Promise<readonly SigningKey[]> {
    const keys = await this.#readKeys()
    if (ALGORITHMS.every((algorithm) => findCurrent(keys, algorithm, who.at))) return keys
    // Requests that come meanwhile wait for the same keys, because generating them takes processor time.
    this.#creating ??= createDueKeys(this.#environment.db, who, this.#seal).finally(() => {
      this.#creating = undefined
    })
    await this.#creating
    this.#read = undefined
    return this.#readKeys()
  }

  openPrivate(key: SigningKey): KeyObject {
    const known = this.#opened.get(key.kid)
    if (known) return known
    const opened = openPrivateKey(key, this.#seal)
    this.#opened.set(key.kid, opened)
    return opened
  }

  get #seal(): SecretSeal {
    return this.#environment.get(secretSeal)
  }

  async #readKeys(): Promise<readonly SigningKey[]> {
    if (this.#read && this.#read.until > performance.now()) return this.#read.keys
    const changes = this.#changes
    const keys = await listKeys(this.#environment.db)
    if (this.#isListening && changes === this.#changes) this.#read = { keys, until: performance.now() + FRESH_MS }
    return keys
  }
}

const keyRing = service((environment) => new KeyRing(environment))

/** Returns the public keys that apps verify tokens with (RFC 7517). */
export async function readPublicKeys(environment: Environment, who: Caller): Promise<{ keys: JWK[] }> {
  const keys = await environment.get(keyRing).keys(who)
  return { keys: keys.filter((key) => isPublished(key, who.at)).map(({ jwk }) => jwk) }
}

interface NewToken {
  /** The algorithm that the app expects; RS256 by default. */
  readonly algorithm?: Algorithm | undefined
  /** The type in the header: `JWT`, or a type that keeps the token from being taken for another one. */
  readonly type: 'JWT' | 'logout+jwt'
  readonly claims: Readonly<Record<string, unknown>>
}

/** Signs a token with the current key of the algorithm. */
export async function signToken(environment: Environment, who: Caller, what: NewToken): Promise<string> {
  const ring = environment.get(keyRing)
  const algorithm = what.algorithm ?? ALGORITHMS[0]
  const key = findCurrent(await ring.keys(who), algorithm, who.at)!
  return new CompactSign(Buffer.from(JSON.stringify(what.claims)))
    .setProtectedHeader({ alg: algorithm, kid: key.kid, typ: what.type })
    .sign(ring.openPrivate(key))
}

/**
 * Returns the claims of a token that this environment has signed; undefined for any other. It may have expired. The key
 * decides the algorithm: what the header says must be the same, so a token cannot be verified with another one.
 */
export async function verifyToken(
  environment: Environment,
  who: Caller,
  { token, type }: { token: string; type: NewToken['type'] },
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const header = readHeader(token)
  if (header?.typ !== type) return undefined
  const key = (await environment.get(keyRing).keys(who)).find(({ kid }) => kid === header.kid)
  if (!key || key.withdrawnAt) return undefined
  const claims = await compactVerify(token, key.publicKey, { algorithms: [key.algorithm] }).then(
    ({ payload }) => JSON.parse(Buffer.from(payload).toString()),
    () => undefined,
  )
  return claims?.iss === environment.url ? claims : undefined
}

function readHeader(token: string): ProtectedHeaderParameters | undefined {
  if (token.length > TOKEN_LENGTH) return undefined
  try {
    return decodeProtectedHeader(token)
  } catch {
    return undefined
  }
}
