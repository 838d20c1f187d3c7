import { fail } from '../../kernel/errors.ts'

/** What makes two handles the same: compatible letters and case are one, the @ is decoration. */
export const normaliseHandle = (handle: string): string =>
  handle.normalize('NFKC').trim().toLowerCase().replace(/^@/, '')

export const isSameHandle = (one: string, other: string): boolean => normaliseHandle(one) === normaliseHandle(other)

/** Plain letters, so that no two handles look alike. */
export const isHandle = (handle: string): boolean => /^@?[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9])?$/i.test(handle)

/** Whoever had one of these could pass for the platform, or be taken for nobody. */
const RESERVED: ReadonlySet<string> = new Set(
  'admin administrator groundschool help me nil null root security support system undefined'.split(' '),
)

/** Users that apps make up are called so, with random letters behind. */
export const ANONYMOUS_PREFIX = 'anonymous'

export function isReserved(handle: string): boolean {
  const key = normaliseHandle(handle)
  return RESERVED.has(key) || key.startsWith(ANONYMOUS_PREFIX)
}

/** What a new account may be called. */
export function checkHandle(handle: string): void {
  if (!isHandle(handle))
    throw fail('validationFailed', 'A handle is 1 to 30 letters from a to z, digits, . _ or -, such as @avery')
  if (isReserved(handle))
    throw fail('validationFailed', `The handle @${normaliseHandle(handle)} is reserved; choose another`)
}
