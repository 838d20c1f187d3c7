import { hashSecret } from '../apps/secrets.ts'
import { normaliseHandle } from '../people/handles.ts'
import type { Existing } from './existing.ts'
import type { ImportedApp, ImportedPerson, ImportFile } from './schema.ts'

/** An entry as it waits to be written: with hashes instead of what is secret. */
export type PreparedPerson = Omit<ImportedPerson, 'password'> & {
  /** Of a password that is not the one which the person has. */
  readonly passwordHash?: string
  /** What the person has instead. Where it is another one by now, that is their own choice, and stays. */
  readonly replaces?: string | null
  /** Was there, or came with an earlier part: who has left meanwhile is not brought back. */
  readonly isKnown?: boolean
}

export type PreparedApp = Omit<ImportedApp, 'secrets'> & {
  /** In hexadecimal. */
  readonly secretHashes?: readonly string[]
}

export interface PreparedFile extends Omit<ImportFile, 'people' | 'apps'> {
  readonly people: readonly PreparedPerson[]
  readonly apps: readonly PreparedApp[]
}

/** A new hash for a person of the file, or undefined where the stored one stays. */
export type ChoosePasswordHash = (person: ImportedPerson, stored: string | null) => string | undefined

/**
 * A file for one environment. Much time may have passed since it was first read, because passwords take long: who has left since then stays away, and who has changed their
 * password keeps it.
 */
export function prepareFile(
  file: ImportFile,
  { before, now }: { readonly before: Existing; readonly now: Existing },
  secretHashKey: Buffer,
  chooseHash: ChoosePasswordHash,
): PreparedFile {
  const people = file.people.flatMap(({ password, ...person }): PreparedPerson[] => {
    const handle = normaliseHandle(person.handle)
    const [was, is] = [before.people.get(handle), now.people.get(handle)]
    if (was && !is) return []
    const stored = is?.password_hash ?? null
    if (password === undefined || stored !== (was?.password_hash ?? null)) return [person]
    const passwordHash = chooseHash({ ...person, password }, stored)
    return [passwordHash === undefined ? person : { ...person, passwordHash, replaces: stored }]
  })
  const apps = file.apps.map(({ secrets, ...app }): PreparedApp => {
    if (secrets === undefined) return app
    return { ...app, secretHashes: secrets.map((secret) => hashSecret(secret, secretHashKey).toString('hex')) }
  })
  return { organisations: file.organisations, people, apps }
}
