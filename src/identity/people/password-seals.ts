import { hash as digest, timingSafeEqual } from 'node:crypto'
import { service } from '../../kernel/environment.ts'
import { openText, sealText } from '../../kernel/seals.ts'
import { hashPassword, MAX_PASSWORD_LENGTH, type Verification } from './passwords.ts'

/*
 * A large import seals its passwords instead of hashing them (decision 58). Each stands where its hash will be, and can be opened only with a key that is not in the
 * database.
 */

/** The index of migration 0052 and the statement that goes by it name it too. */
const PREFIX = '$sealed$'
/** The length of a seal shall not tell the length of a password. */
const BLOCK_BYTES = 64

export interface PasswordSeal {
  seal(password: string): string
  /** Undefined: it was made with another key, or changed. */
  open(sealed: string): string | undefined
}

export const passwordSeal = service(({ keyFor }): PasswordSeal => {
  const key = keyFor('imported-passwords')
  return {
    seal: (password) => {
      const text = JSON.stringify(password)
      const padding = ' '.repeat(-Buffer.byteLength(text) & (BLOCK_BYTES - 1))
      return PREFIX + sealText(key, text + padding).toString('base64')
    },
    open: (sealed) => {
      try {
        return JSON.parse(openText(key, Buffer.from(sealed.slice(PREFIX.length), 'base64'))) as string
      } catch {
        return undefined
      }
    },
  }
})

export const isSealed = (stored: string | null | undefined): stored is string => stored?.startsWith(PREFIX) === true

/** Takes as long wherever they differ. */
export function isSamePassword(one: string, other: string): boolean {
  const [first, second] = [one, other].map((password) => digest('sha256', password.normalize('NFC'), 'buffer'))
  return timingSafeEqual(first!, second!)
}

/** Takes as long as to verify any other, because it hashes the password that was given: where that is right, its hash can replace the seal. */
export async function verifySealed(
  { password, sealed, by, check }: Omit<Verification, 'hash'> & { readonly sealed: string },
  seal: PasswordSeal,
): Promise<{ isRight: boolean; hash: string }> {
  const given = password.slice(0, MAX_PASSWORD_LENGTH + 1)
  const hash = await hashPassword(given, by, check)
  const own = seal.open(sealed)
  return { isRight: own !== undefined && isSamePassword(given, own) && given.length <= MAX_PASSWORD_LENGTH, hash }
}
