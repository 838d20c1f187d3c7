import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { recordAudit } from '../../kernel/audit/audit.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import { notify } from '../../kernel/database/listener.ts'
import { fail } from '../../kernel/errors.ts'
import { ALGORITHMS, type Algorithm } from '../apps/algorithms.ts'
import type { SecretSeal } from '../apps/secrets.ts'
import { atOnce, type KeyDates, type KeyState, planNextKey, stateOf } from './rules.ts'
import * as store from './store.ts'

/** The NOTIFY topic that tells every process that the signing keys have changed. */
export const SIGNING_KEYS = 'signing-keys'

export interface SigningKey extends KeyDates {
  readonly kid: string
  readonly jwk: JWK
  readonly publicKey: KeyObject
  /** Encrypted; null once the key is no longer used. */
  readonly sealed: Buffer | null
}

export async function listKeys(db: Db): Promise<SigningKey[]> {
  return (await db.all(store.listKeys, {})).toReversed().map((row): SigningKey => {
    const jwk = JSON.parse(row.public_jwk) as JWK
    return {
      kid: row.kid,
      algorithm: row.algorithm as Algorithm,
      jwk,
      publicKey: createPublicKey({ key: jwk as Record<string, unknown>, format: 'jwk' }),
      sealed: row.sealed,
      publishedAt: row.published_at,
      usedFrom: row.used_from,
      retiredAt: row.retired_at,
      withdrawnAt: row.withdrawn_at,
    }
  })
}

/** Names a key where it is encrypted, so that a private key copied to another row cannot be decrypted. */
const sealName = (kid: string): string => `signing-key:${kid}`

export const openPrivateKey = ({ kid, sealed }: SigningKey, seal: SecretSeal): KeyObject =>
  createPrivateKey(seal.open(sealName(kid), sealed!))

const generate = promisify(generateKeyPair)
/** RFC 7518 §3.3 asks for 2048 bits at least. Longer keys make each sign-in and each token longer. */
const GENERATORS: Record<Algorithm, () => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>> = {
  RS256: () => generate('rsa', { modulusLength: 2048 }),
  ES256: () => generate('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generate('ed25519', {}),
}

interface NewKey {
  readonly kid: string
  readonly algorithm: Algorithm
  readonly jwk: JWK
  readonly pem: string
}

/** Returns a key whose kid does not begin with a hyphen, so that commands do not take it for an option. */
export async function makeKey(algorithm: Algorithm): Promise<NewKey> {
  const { publicKey, privateKey } = await GENERATORS[algorithm]()
  const jwk = publicKey.export({ format: 'jwk' }) as JWK
  const kid = await calculateJwkThumbprint(jwk)
  if (kid.startsWith('-')) return makeKey(algorithm)
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }) as string
  return { kid, algorithm, jwk: { ...jwk, kid, alg: algorithm, use: 'sig' }, pem }
}

async function storeKey(tx: Tx, who: Caller, key: NewKey, usedFrom: Date, seal: SecretSeal): Promise<void> {
  await tx.first(store.insertKey, {
    kid: key.kid,
    algorithm: key.algorithm,
    publicJwk: JSON.stringify(key.jwk),
    sealed: seal.seal(sealName(key.kid), key.pem),
    now: who.at,
    usedFrom,
  })
  await recordAudit(tx, who, {
    action: 'signing-key.created',
    detail: { kid: key.kid, algorithm: key.algorithm, usedFrom: usedFrom.toISOString() },
  })
  await notify(tx, SIGNING_KEYS)
}

/**
 * Creates the keys that are due. Processes that do so at the same time wait for each other, and the later one finds
 * that nothing is due. The keys are generated before the lock is taken, because that can take a second.
 */
export async function createDueKeys(
  db: Db,
  who: Caller,
  seal: SecretSeal,
  { algorithms = ALGORITHMS, isAsked = false }: { algorithms?: readonly Algorithm[]; isAsked?: boolean } = {},
): Promise<Algorithm[]> {
  const known = await listKeys(db)
  const due = algorithms.filter((algorithm) => planNextKey(known, algorithm, who.at, isAsked))
  if (due.length === 0) return []
  const made = await Promise.all(due.map(makeKey))
  return db.transaction(async (tx) => {
    await tx.first(store.takeTurn, {})
    const keys = await listKeys(tx)
    const created: Algorithm[] = []
    for (const key of made) {
      const plan = planNextKey(keys, key.algorithm, who.at, isAsked)
      if (!plan) continue
      await storeKey(tx, who, key, plan.usedFrom, seal)
      created.push(key.algorithm)
    }
    return created
  })
}

/**
 * Withdraws a key that somebody else may know. It is no longer published, nothing that it has signed is accepted, and
 * its private key is deleted. If it was in use, the next key takes over at once.
 */
export async function withdrawKey(db: Db, who: Caller, { kid }: { kid: string }, seal: SecretSeal): Promise<void> {
  const withdrawn = (await listKeys(db)).find((key) => key.kid === kid)
  if (!withdrawn || withdrawn.withdrawnAt) throw fail('notFound', 'There is no key with this kid')
  const { algorithm } = withdrawn
  const spare = await makeKey(algorithm)
  await db.transaction(async (tx) => {
    await tx.first(store.takeTurn, {})
    const state = stateOf((await listKeys(tx)).find((key) => key.kid === kid)!, who.at)
    if (!(await tx.first(store.withdrawKey, { kid, now: who.at }))) return
    if (state === 'next') await tx.all(store.keepCurrentKey, { algorithm, now: who.at })
    if (state === 'current') await tx.all(store.hurryNextKey, { algorithm, now: who.at, usedFrom: atOnce(who.at) })
    const plan = planNextKey(await listKeys(tx), algorithm, who.at)
    if (plan) await storeKey(tx, who, spare, plan.usedFrom, seal)
    await recordAudit(tx, who, { action: 'signing-key.withdrawn', detail: { kid, algorithm } })
    await notify(tx, SIGNING_KEYS)
  })
}

/** Encrypts private keys again with the current key. Returns how many. */
export async function resealSigningKeys(db: Db, seal: SecretSeal): Promise<number> {
  let count = 0
  for (const { kid, sealed } of await listKeys(db)) {
    if (sealed === null || seal.isCurrent(sealed)) continue
    const again = seal.seal(sealName(kid), seal.open(sealName(kid), sealed))
    if (await db.first(store.reseal, { kid, before: sealed, sealed: again })) count++
  }
  if (count > 0) await notify(db, SIGNING_KEYS)
  return count
}

/** Returns how many private keys cannot be decrypted, because they were encrypted with a key that is not here. */
export const countUnreadableKeys = async (db: Db, seal: SecretSeal): Promise<number> =>
  (await listKeys(db)).filter(({ sealed }) => sealed !== null && !seal.canOpen(sealed)).length

const DAY_MS = 86_400_000

/** Creates the next keys, and deletes private keys a day after they were used last. */
export async function rotateKeys(db: Db, who: Caller, seal: SecretSeal): Promise<void> {
  const known = await listKeys(db)
  // An environment without keys has no app that uses OpenID; the first one creates them.
  const algorithms = ALGORITHMS.filter((algorithm) => known.some((key) => key.algorithm === algorithm))
  await createDueKeys(db, who, seal, { algorithms })
  await db.all(store.dropPrivateKeys, { before: new Date(who.at.getTime() - DAY_MS) })
}

export interface ShownKey extends Omit<KeyDates, 'algorithm'> {
  readonly kid: string
  readonly algorithm: Algorithm
  readonly state: KeyState
}

/** Lists all stored keys without their private parts, for operators. */
export const showKeys = async (db: Db, now: Date): Promise<ShownKey[]> =>
  (await listKeys(db)).map(({ kid, algorithm, publishedAt, usedFrom, retiredAt, withdrawnAt, ...key }) => ({
    kid,
    algorithm,
    publishedAt,
    usedFrom,
    retiredAt,
    withdrawnAt,
    state: stateOf({ ...key, algorithm, publishedAt, usedFrom, retiredAt, withdrawnAt }, now),
  }))
