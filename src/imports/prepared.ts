import { hashSecret } from '../apps/secrets.ts'
import { normaliseHandle } from '../people/people.ts'
import type { Existing } from './existing.ts'
import type { ImportedApp, ImportedPerson, ImportFile } from './schema.ts'

/** An entry as it waits to be written: with hashes instead of what is secret. */
export type PreparedPerson = Omit<ImportedPerson, 'password'> & {
  /** Of a password that is not the one which the person has. */
  readonly passwordHash?: string
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

/** The hash to keep for a person of the file: the stored one where the password is still the same. */
export type ChoosePasswordHash = (person: ImportedPerson, storedHash: string | null) => string | null

/** A file for one environment. */
export function prepareFile(
  file: ImportFile,
  existing: Existing,
  secretHashKey: Buffer,
  chooseHash: ChoosePasswordHash,
): PreparedFile {
  const people = file.people.map(({ password, ...person }): PreparedPerson => {
    if (password === undefined) return person
    const stored = existing.people.get(normaliseHandle(person.handle))?.password_hash ?? null
    const hash = chooseHash({ ...person, password }, stored)
    return hash === null || hash === stored ? person : { ...person, passwordHash: hash }
  })
  const apps = file.apps.map(({ secrets, ...app }): PreparedApp => {
    if (secrets === undefined) return app
    return { ...app, secretHashes: secrets.map((secret) => hashSecret(secret, secretHashKey).toString('hex')) }
  })
  return { organisations: file.organisations, people, apps }
}
