import { randomInt } from 'node:crypto'
import { fail } from '../../kernel/errors.ts'

/** Returns the form in which handles are compared. It ignores case, compatibility characters (NFKC) and a leading @. */
export const normaliseHandle = (handle: string): string =>
  handle.normalize('NFKC').trim().toLowerCase().replace(/^@/, '')

export const isSameHandle = (one: string, other: string): boolean => normaliseHandle(one) === normaliseHandle(other)

/**
 * Whether the text is a valid handle. Only ASCII characters are allowed, so that different handles do not look alike.
 */
export const isHandle = (handle: string): boolean => /^@?[a-z0-9](?:[a-z0-9._-]{0,28}[a-z0-9])?$/i.test(handle)

/** Handles that nobody may have, because their owners could pose as the platform or be mistaken for a missing value. */
const RESERVED: ReadonlySet<string> = new Set(
  'admin administrator groundschool help me nil null root security support system undefined'.split(' '),
)

/** The beginning of all anonymous users' handles, followed by random letters. */
export const ANONYMOUS_PREFIX = 'anonymous'

export function isReserved(handle: string): boolean {
  const key = normaliseHandle(handle)
  return RESERVED.has(key) || key.startsWith(ANONYMOUS_PREFIX)
}

/** Throws if a new account must not have this handle. */
export function checkHandle(handle: string): void {
  if (!isHandle(handle))
    throw fail('validationFailed', 'A handle must be 1 to 30 letters from a to z, digits, . _ or -, such as @avery')
  if (isReserved(handle))
    throw fail('validationFailed', `The handle @${normaliseHandle(handle)} is reserved; choose another`)
}

/** Leaves room for a number after the derived part. */
const DERIVED_LENGTH = 24

/** Returns the part of a handle that a text suggests: `Zoë van der Berg` becomes `zoe.van.der.berg`. */
const suggestHandle = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '.')
    .slice(0, DERIVED_LENGTH)
    .replace(/^\.+|\.+$/g, '')

/** Returns the handle that a user name of another system suggests; an empty list if it suggests none. */
export function suggestFrom(userName: string): string[] {
  const handle = suggestHandle(userName.split('@')[0] ?? '')
  return handle === '' || isReserved(handle) ? [] : [handle]
}

/**
 * Returns handles for a new account, best first: from the name, otherwise from the e-mail address; then with numbers.
 * The last ones are random, so at least one of them is free.
 */
export function deriveHandles(who: { firstName: string; lastName: string; email: string | null }): string[] {
  const named = suggestHandle(`${who.firstName} ${who.lastName}`)
  const texts = [named, suggestHandle(who.email?.split('@')[0] ?? '')]
  const base = texts.find((text) => text !== '' && !isReserved(text)) ?? 'person'
  const numbers = [2, 3, 4, 5, 6, 7, 8, 9]
  const randoms = Array.from({ length: 5 }, () => randomInt(10_000, 100_000))
  return [base, ...[...numbers, ...randoms].map((n) => `${base}${n}`)]
}
