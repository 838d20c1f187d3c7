import { normaliseHandle } from '../people/handles.ts'
import { hashPassword, verifyPassword } from '../people/passwords.ts'
import type { Existing } from './existing.ts'
import type { ChoosePasswordHash } from './prepared.ts'
import type { ImportedPerson } from './schema.ts'

interface Prepared {
  /** Stored hashes which this password matches. */
  readonly matching: Set<string>
  /** A new hash, where an environment has none that matches. */
  hash: string | undefined
}

/** Enough to keep every thread busy that hashing may use. */
const AT_ONCE = 8
const NOT_YET_HASHED = '(a new password)'

/**
 * Verifies every password of the file against what is stored, and hashes those that are new. It takes long, so it happens before
 * anything is decided. A dry run only looks.
 */
export async function preparePasswords(
  people: readonly ImportedPerson[],
  environments: readonly Existing[],
  { isDryRun, onDone }: { isDryRun: boolean; onDone: (done: number, total: number) => void },
): Promise<ChoosePasswordHash> {
  const prepared = new Map<string, Prepared>()
  const waiting = people.filter((person) => person.password !== undefined)
  const total = waiting.length
  let next = 0
  let done = 0
  const work = async () => {
    while (next < total) {
      const person = waiting[next++]!
      const handle = normaliseHandle(person.handle)
      const stored = environments.map((existing) => existing.people.get(handle)?.password_hash ?? null)
      prepared.set(handle, await prepare(person.password!, stored, isDryRun))
      onDone(++done, total)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))

  return (person, stored) => {
    const found = prepared.get(normaliseHandle(person.handle))
    return stored !== null && found?.matching.has(stored) ? undefined : found?.hash
  }
}

async function prepare(password: string, stored: readonly (string | null)[], isDryRun: boolean): Promise<Prepared> {
  const matching = new Set<string>()
  for (const hash of new Set(stored)) {
    if (hash !== null && (await verifyPassword({ password, hash }))) matching.add(hash)
  }
  const isNeeded = stored.some((hash) => hash === null || !matching.has(hash))
  return { matching, hash: isNeeded ? (isDryRun ? NOT_YET_HASHED : await hashPassword(password)) : undefined }
}
