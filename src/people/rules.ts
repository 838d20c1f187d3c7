import { fail } from '../errors.ts'

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

/** No control characters, also none that turn the direction of what follows, no other line ends, no half surrogates. */
const LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u
/** Nobody sees that there is anything: spaces, zero-width characters, soft hyphens, fillers, the empty Braille pattern. */
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]*$/u
/** More than five marks on one letter, which would cover the lines around. Names have at most four (Burmese); what nobody sees does not part them. */
const HEAP = /(?:[\p{Mn}\p{Me}]\p{Cf}*){6}/u

/** One line that can be kept and shown, or nothing; spaces alone are nothing. */
export const isLine = (text: string): boolean =>
  text.length <= 254 && LINE.test(text) && !HEAP.test(text) && (text.trim() === '' || !UNSEEN.test(text))

/** One address that a message can go to, and nothing that a mail server could take for two. */
export const isMailAddress = (text: string): boolean =>
  text.length <= 254 && /^[^\s\p{Cc}@<>(),;:"\\[\]]+@[^\s\p{Cc}@<>(),;:"\\[\]]+$/u.test(text)

const MAX_AGE_YEARS = 150

/** The calendar day in UTC as one number, 20260501: the difference of two has the whole years in front of four digits. */
const dayOf = (moment: Date): number =>
  moment.getUTCFullYear() * 10_000 + (moment.getUTCMonth() + 1) * 100 + moment.getUTCDate()

/** Whole years on that day; the birthday counts. Who was born on 29 February is a year older on 1 March where there is no 29th. */
export const ageOn = (day: Date, dateOfBirth: Date): number => Math.floor((dayOf(day) - dayOf(dateOfBirth)) / 10_000)

/** The same for a day as the database writes it, 2001-12-31. */
export const ageOnDay = (day: Date, born: string): number =>
  Math.floor((dayOf(day) - Number(born.slice(0, 4) + born.slice(5, 7) + born.slice(8, 10))) / 10_000)

/** Not in the future, and not longer ago than people live. */
export function canBeBirth(day: Date, dateOfBirth: Date): boolean {
  const distance = dayOf(day) - dayOf(dateOfBirth)
  return distance >= 0 && distance <= MAX_AGE_YEARS * 10_000
}

export interface AccountKind {
  readonly userType: 'child' | 'teen-minor' | 'adult'
  readonly accountType: 'Kid' | 'Adult'
}

/** What age makes of somebody who says nothing else about themselves. */
export function accountKindAt(age: number): AccountKind {
  if (age < 13) return { userType: 'child', accountType: 'Kid' }
  return { userType: age < 18 ? 'teen-minor' : 'adult', accountType: 'Adult' }
}

/** `true`, also as text in any case. */
export const isTrue = (value: unknown): boolean =>
  value === true || (typeof value === 'string' && value.toLowerCase() === 'true')
