import { fail } from '../../kernel/errors.ts'

/** The form in which handles are compared: case, compatibility characters (NFKC) and a leading @ make no difference. */
export const normaliseHandle = (handle: string): string =>
  handle.normalize('NFKC').trim().toLowerCase().replace(/^@/, '')

export const isSameHandle = (one: string, other: string): boolean => normaliseHandle(one) === normaliseHandle(other)

/** ASCII only, so that no two handles look alike. */
export const isHandle = (handle: string): boolean => /^@?[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9])?$/i.test(handle)

/** Owners of these handles could pose as the platform, or be mistaken for a missing value. */
const RESERVED: ReadonlySet<string> = new Set(
  'admin administrator groundschool help me nil null root security support system undefined'.split(' '),
)

/** Handles of anonymous users start with this word, followed by random letters. */
export const ANONYMOUS_PREFIX = 'anonymous'

export function isReserved(handle: string): boolean {
  const key = normaliseHandle(handle)
  return RESERVED.has(key) || key.startsWith(ANONYMOUS_PREFIX)
}

/** Refuses handles that a new account must not have. */
export function checkHandle(handle: string): void {
  if (!isHandle(handle))
    throw fail('validationFailed', 'A handle is 1 to 30 letters from a to z, digits, . _ or -, such as @avery')
  if (isReserved(handle))
    throw fail('validationFailed', `The handle @${normaliseHandle(handle)} is reserved; choose another`)
}
