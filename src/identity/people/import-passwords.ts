import type { Preparation } from '../../kernel/imports/section.ts'
import { normaliseHandle } from './handles.ts'
import { isSamePassword, isSealed, type PasswordSeal } from './password-seals.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

/** More new ones than this are sealed, and hashed in the background: nobody waits minutes for an import. */
const MOST_AT_ONCE = 200
/** Enough to keep every thread busy that hashing may use. */
const WORKERS = 8
const NOT_YET_HASHED = '(a new password)'

interface Entry {
  readonly handle: string
  readonly password?: string | undefined
}

/** The passwords of one environment. */
export interface StoredPasswords {
  readonly seal: PasswordSeal
  /** What the person has there, by the normal form of the handle. */
  find(handle: string): string | null
}

export interface PreparedPasswords {
  /** What is stored instead; undefined where it stays. */
  choose(handle: string, stored: string | null, seal: () => PasswordSeal): string | undefined
  /** How many are left to be hashed. */
  readonly sealed: number
}

/** Verifies every password of the file against what is stored, and hashes those that are new, unless they are many. A dry run only looks. */
export async function preparePasswords(
  people: readonly Entry[],
  environments: readonly StoredPasswords[],
  { isDryRun, onProgress }: Preparation,
): Promise<PreparedPasswords> {
  const given = listPasswords(people)
  /** Of each person, what is stored and matches. */
  const matching = new Map<string, Set<string>>()
  const known = given.filter(({ handle }) => environments.some(({ find }) => find(handle) !== null))
  await forEach(known, 'checking passwords', onProgress, async ({ handle, password }) => {
    matching.set(handle, await listMatching(password, handle, environments))
  })

  const isKept = (handle: string, stored: string | null) =>
    stored !== null && matching.get(handle)?.has(stored) === true
  const fresh = given.filter(({ handle }) => environments.some(({ find }) => !isKept(handle, find(handle))))
  const isMany = fresh.length > MOST_AT_ONCE
  const hashes = new Map<string, string>()
  if (!isDryRun && !isMany)
    await forEach(fresh, 'hashing passwords', onProgress, async ({ handle, password }) => {
      hashes.set(handle, await hashPassword(password))
    })

  const passwords = new Map(fresh.map(({ handle, password }) => [handle, password]))
  return {
    choose: (name, stored, seal) => {
      const handle = normaliseHandle(name)
      const password = passwords.get(handle)
      if (password === undefined || isKept(handle, stored)) return undefined
      return isDryRun ? NOT_YET_HASHED : (hashes.get(handle) ?? seal().seal(password))
    },
    sealed: isMany && !isDryRun ? fresh.length : 0,
  }
}

export const listPasswords = (people: readonly Entry[]): { handle: string; password: string }[] =>
  people.flatMap(({ handle, password }) =>
    password === undefined ? [] : [{ handle: normaliseHandle(handle), password }],
  )

async function listMatching(
  password: string,
  handle: string,
  environments: readonly StoredPasswords[],
): Promise<Set<string>> {
  const matching = new Set<string>()
  for (const environment of environments) {
    const stored = environment.find(handle)
    if (stored === null || matching.has(stored)) continue
    const isSame = isSealed(stored)
      ? isSealOf(password, stored, environment.seal)
      : await verifyPassword({ password, hash: stored })
    if (isSame) matching.add(stored)
  }
  return matching
}

export function isSealOf(password: string, sealed: string, seal: PasswordSeal): boolean {
  const own = seal.open(sealed)
  return own !== undefined && isSamePassword(own, password)
}

/** Several at once. */
export async function forEach<T>(
  items: readonly T[],
  label: string,
  onProgress: Preparation['onProgress'],
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  let next = 0
  let done = 0
  const workOn = async () => {
    while (next < items.length) {
      await work(items[next++]!)
      onProgress(++done, items.length, label)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, workOn))
}
