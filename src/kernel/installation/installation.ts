import { createHash } from 'node:crypto'
import type { EnvironmentName } from '../config.ts'
import type { Db } from '../database/database.ts'
import { StartupError } from '../errors.ts'
import * as store from './store.ts'

interface UsedKey {
  readonly secretKey: Buffer
  readonly environment: EnvironmentName
  /** Whether a database that has not been used yet remembers this key as its own. */
  readonly isKept: boolean
}

/** All processes of one installation must share a key: with another one, refresh tokens and client secrets would be refused here and there. */
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

/** Remembers facts by name, all with the same value. What is known already stays. */
export async function keepFacts(db: Db, names: readonly string[], value: string): Promise<void> {
  if (names.length > 0) await db.all(store.keepFacts, { names: [...names], value })
}

/** Those of them that are known. */
export const findFacts = async (db: Db, names: readonly string[]): Promise<Set<string>> =>
  new Set((await db.all(store.findFacts, { names: [...names] })).map(({ name }) => name))

/** How others reach the platform that was last started on this database; undefined where only its own machine did. */
export const findReach = async (db: Db): Promise<string | undefined> =>
  (await db.first(store.findFact, { name: REACH }))?.value

export async function keepReach(db: Db, opening: string | undefined): Promise<void> {
  await dropFact(db, REACH)
  if (opening !== undefined) await keepFacts(db, [REACH], opening)
}

/** Kept in the database, because a command may be run without the settings that the platform was started with. */
const REACH = 'reached-by-others'

/** Where clients reach the environment, as the platform that was last started here had it: a command may have other settings. */
export const findAddress = async (db: Db): Promise<string | undefined> =>
  (await db.first(store.findFact, { name: ADDRESS }))?.value

/** Where that platform listens: this machine may not know the name by which clients reach it. */
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
