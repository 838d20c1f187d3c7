import type { Preparation } from '../imports/section.ts'
import { normaliseHandle } from './handles.ts'
import { hashPassword, hashQuickly, verifyPassword } from './passwords.ts'

interface Prepared {
  /** Stored hashes which this password matches. */
  readonly matching: Set<string>
  /** A new hash, where an environment has none that matches. */
  hash: string | undefined
}

/** From so many on, an import does not wait until every hash is as strong as it will be. */
const MANY = 200
/** Enough to keep every thread busy that hashing may use. */
const AT_ONCE = 8
const NOT_YET_HASHED = '(a new password)'

/** Verifies every password of the file against what is stored, and hashes those that are new. A dry run only looks. Gives how to choose a new hash; undefined where the stored one stays. */
export async function preparePasswords(
  people: readonly { readonly handle: string; readonly password?: string | undefined }[],
  environments: readonly ReadonlyMap<string, { readonly password_hash: string | null }>[],
  { isDryRun, onProgress }: Preparation,
): Promise<(handle: string, stored: string | null) => string | undefined> {
  const prepared = new Map<string, Prepared>()
  const waiting = people.filter((person) => person.password !== undefined)
  const total = waiting.length
  const hash = isDryRun ? async () => NOT_YET_HASHED : total > MANY ? hashQuickly : hashPassword
  let next = 0
  let done = 0
  const work = async () => {
    while (next < total) {
      const person = waiting[next++]!
      const handle = normaliseHandle(person.handle)
      const stored = environments.map((found) => found.get(handle)?.password_hash ?? null)
      prepared.set(handle, await prepare(person.password!, stored, hash))
      onProgress(++done, total, 'hashing passwords')
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
  hash: (password: string) => Promise<string>,
): Promise<Prepared> {
  const matching = new Set<string>()
  for (const one of new Set(stored)) {
    if (one !== null && (await verifyPassword({ password, hash: one }))) matching.add(one)
  }
  const isNeeded = stored.some((one) => one === null || !matching.has(one))
  return { matching, hash: isNeeded ? await hash(password) : undefined }
}
