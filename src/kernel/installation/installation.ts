import { createHash } from 'node:crypto'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import { StartupError } from '../errors.ts'
import * as store from './store.ts'

interface UsedKeys {
  /** The keys of this process, the current key first. */
  readonly secretKeys: readonly Buffer[]
  readonly environment: EnvironmentName
  /** If true, the fingerprint of the current key is stored if the database has none yet. */
  readonly isKept: boolean
}

/**
 * Throws if the database is used with another secret key. All processes of an installation must share a key: otherwise
 * refresh tokens and client secrets would work in some processes only.
 */
export async function checkSecretKey(db: Db, { secretKeys, environment, isKept }: UsedKeys): Promise<void> {
  const values = secretKeys.map((key) => fingerprintOf(key, environment))
  const kept = isKept
    ? await db.first(store.keepFact, { name: FINGERPRINT, value: values[0]! })
    : await db.first(store.findFact, { name: FINGERPRINT })
  if (kept && !values.includes(kept.value)) throw otherKey()
}

/** Throws if the database is used with a secret key already, for a process that has none and would create one. */
export async function refuseNewKey(db: Db): Promise<void> {
  if (await db.first(store.findFact, { name: FINGERPRINT })) throw otherKey()
}

/**
 * Makes this key the one that processes need to start. Returns when that happened first; undefined for the first key.
 */
export function adoptSecretKey(
  db: Db,
  { at }: { readonly at: Date },
  { secretKey, environment }: { readonly secretKey: Buffer; readonly environment: EnvironmentName },
): Promise<Date | undefined> {
  const value = fingerprintOf(secretKey, environment)
  return db.transaction(async (tx) => {
    const kept = await tx.first(store.keepFact, { name: FINGERPRINT, value })
    if (kept!.value !== value) {
      await tx.first(store.replaceFact, { name: FINGERPRINT, value })
      await tx.first(store.replaceFact, { name: ROTATED, value: at.toISOString() })
    }
    const rotated = await tx.first(store.findFact, { name: ROTATED })
    return rotated && new Date(rotated.value)
  })
}

/** Returns the value that the database stores under the name `FINGERPRINT` for the key it is used with. */
export const fingerprintOf = (secretKey: Buffer, environment: EnvironmentName): string =>
  createHash('sha256').update(`groundschool/${environment}/fingerprint`).update(secretKey).digest('base64url')

const otherKey = () =>
  new StartupError(
    'This database was first used with another secret key: set SECRET_KEY to that key, or copy its secret.key into DATA_DIR',
  )

export const FINGERPRINT = 'secret-key-fingerprint'
/** Name of the fact that says when the key was last changed. */
const ROTATED = 'secret-key-rotated'

/** Stores facts, given by name, all with the same value. A fact that already exists keeps its value. */
export async function keepFacts(db: Db, names: readonly string[], value: string): Promise<void> {
  if (names.length > 0) await db.all(store.keepFacts, { names: [...names], value })
}

/** Returns the given names that have a stored fact. */
export const findFacts = async (db: Db, names: readonly string[]): Promise<Set<string>> =>
  new Set((await db.all(store.findFacts, { names: [...names] })).map(({ name }) => name))

/** Returns the value of a fact; undefined if it is not stored. */
export const findValue = async (db: Db, name: string): Promise<string | undefined> =>
  (await db.first(store.findFact, { name }))?.value

/**
 * Returns a sentence that says how other machines can reach the platform last started on this database; undefined if
 * only its own machine can.
 */
export const findReach = (db: Db): Promise<string | undefined> => findValue(db, REACH)

export async function keepReach(db: Db, opening: string | undefined): Promise<void> {
  await dropFact(db, REACH)
  if (opening !== undefined) await keepFacts(db, [REACH], opening)
}

/**
 * Name of the fact that `findReach` returns. It is stored in the database, because a command may run with settings
 * other than the platform's.
 */
const REACH = 'reached-by-others'

/**
 * Returns the public address of the platform that was last started on this database. Commands read it here, because
 * their own settings may differ.
 */
export const findAddress = (db: Db): Promise<string | undefined> => findValue(db, ADDRESS)

/**
 * Returns the address that the platform listens on. Commands need it, because the public name may not resolve on this
 * machine.
 */
export const findListening = (db: Db): Promise<string | undefined> => findValue(db, LISTENING)

export async function keepAddress(db: Db, what: { address: string; listening: string }): Promise<void> {
  for (const [name, value] of [
    [ADDRESS, what.address],
    [LISTENING, what.listening],
  ] as const) {
    await dropFact(db, name)
    await keepFacts(db, [name], value)
  }
}

const ADDRESS = 'address'
const LISTENING = 'listening'

export const dropFact = (db: Db, name: string) => db.first(store.dropFact, { name })
