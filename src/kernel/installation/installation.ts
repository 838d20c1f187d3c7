import { createHash } from 'node:crypto'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import { StartupError } from '../errors.ts'
import * as store from './store.ts'

interface UsedKey {
  readonly secretKey: Buffer
  readonly environment: EnvironmentName
  /** If true, the key's fingerprint is stored if the database has none yet. */
  readonly isKept: boolean
}

/**
 * Throws if the database was first used with another secret key. All processes of an installation must share a key:
 * otherwise refresh tokens and client secrets would work in some processes only.
 */
export async function checkSecretKey(db: Db, { secretKey, environment, isKept }: UsedKey): Promise<void> {
  const value = createHash('sha256')
    .update(`groundschool/${environment}/fingerprint`)
    .update(secretKey)
    .digest('base64url')
  const kept = isKept
    ? await db.first(store.keepFact, { name: FINGERPRINT, value })
    : await db.first(store.findFact, { name: FINGERPRINT })
  if (kept && kept.value !== value)
    throw new StartupError(
      'This database was first used with another secret key: set SECRET_KEY to that key, or copy its secret.key into DATA_DIR',
    )
}

const FINGERPRINT = 'secret-key-fingerprint'

/** Stores facts, given by name, all with the same value. A fact that already exists keeps its value. */
export async function keepFacts(db: Db, names: readonly string[], value: string): Promise<void> {
  if (names.length > 0) await db.all(store.keepFacts, { names: [...names], value })
}

/** Returns the given names that have a stored fact. */
export const findFacts = async (db: Db, names: readonly string[]): Promise<Set<string>> =>
  new Set((await db.all(store.findFacts, { names: [...names] })).map(({ name }) => name))

/**
 * Returns a sentence that says how other machines can reach the platform last started on this database; undefined if
 * only its own machine can.
 */
export const findReach = async (db: Db): Promise<string | undefined> =>
  (await db.first(store.findFact, { name: REACH }))?.value

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
export const findAddress = async (db: Db): Promise<string | undefined> =>
  (await db.first(store.findFact, { name: ADDRESS }))?.value

/**
 * Returns the address that the platform listens on. Commands need it, because the public name may not resolve on this
 * machine.
 */
export const findListening = async (db: Db): Promise<string | undefined> =>
  (await db.first(store.findFact, { name: LISTENING }))?.value

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
