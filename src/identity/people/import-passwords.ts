import type { Preparation } from '../../kernel/imports/section.ts'
import { normaliseHandle } from './handles.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

interface PreparedPassword {
  /** Those of the stored hashes that match this password. */
  readonly matching: Set<string>
  /** A new hash of the password, if it does not match the stored hash in every environment. */
  hash: string | undefined
}

/** Enough concurrent verifications to keep all hashing threads busy. */
const AT_ONCE = 8
const NOT_YET_HASHED = '(a new password)'

/**
 * Verifies each password in the file against the stored hashes, and hashes passwords that do not match. A dry run
 * hashes none. Returns a function that returns the new hash of a person, or undefined if the stored hash stays.
 */
export async function preparePasswords(
  people: readonly { readonly handle: string; readonly password?: string | undefined }[],
  environments: readonly ReadonlyMap<string, { readonly password_hash: string | null }>[],
  { isDryRun, hashes, onProgress }: Preparation,
): Promise<(handle: string, stored: string | null) => string | undefined> {
  const prepared = new Map<string, PreparedPassword>()
  const waiting = people.filter((person) => person.password !== undefined)
  const total = waiting.length
  let next = 0
  let done = 0
  const work = async () => {
    while (next < total) {
      const person = waiting[next++]!
      const handle = normaliseHandle(person.handle)
      const stored = environments.map((found) => found.get(handle)?.password_hash ?? null)
      prepared.set(handle, await prepare(person.password!, stored, { isDryRun, hashes }))
      onProgress(++done, total, isDryRun ? 'checking passwords' : 'hashing passwords')
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))

  return (handle, stored) => {
    const found = prepared.get(normaliseHandle(handle))
    return stored !== null && found?.matching.has(stored) ? undefined : found?.hash
  }
}

async function prepare(
  password: string,
  stored: readonly (string | null)[],
  { isDryRun, hashes }: Pick<Preparation, 'isDryRun' | 'hashes'>,
): Promise<PreparedPassword> {
  const matching = new Set<string>()
  for (const hash of new Set(stored)) {
    if (hash !== null && (await verifyPassword({ password, hash }))) matching.add(hash)
  }
  const isNeeded = stored.some((hash) => hash === null || !matching.has(hash))
  if (!isNeeded) return { matching, hash: undefined }
  return { matching, hash: isDryRun ? NOT_YET_HASHED : (hashes?.get(password) ?? (await hashPassword(password))) }
}
