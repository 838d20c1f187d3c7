import { fail } from '../errors.ts'
import { accountKindAt, ageOnDay, isLine } from '../people/rules.ts'
import type { Entry } from './schema.ts'

export type AccountType = Entry['accountType']
export type UserType = Entry['userType']

/** What decides about somebody's type: nobody sets it. */
export interface Born {
  /** A day in ISO 8601; whoever has not said it counts as an adult. */
  readonly dateOfBirth: string | null
  readonly accountKind: string | null
  readonly hasChildren: boolean
}

export function typesOf(born: Born, now: Date): { userType: UserType; accountType: AccountType } {
  const { userType, accountType } = accountKindAt(
    born.dateOfBirth === null ? Number.POSITIVE_INFINITY : ageOnDay(now, born.dateOfBirth),
  )
  if (born.accountKind !== null) return { userType, accountType: born.accountKind as AccountType }
  return { userType, accountType: accountType === 'Adult' && born.hasChildren ? 'Parent' : accountType }
}

export const isChild = (dateOfBirth: string | null, now: Date): boolean =>
  typesOf({ dateOfBirth, accountKind: null, hasChildren: false }, now).userType === 'child'

/** Whoever was born after this day is a child. On 29 February thirteen years ago is the 28th. */
export function childrenBornAfter(now: Date): string {
  const [year, month, day] = [now.getUTCFullYear() - 13, now.getUTCMonth(), now.getUTCDate()]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(day, last))).toISOString().slice(0, 10)
}

/** Roles in organisations that make somebody a trainer, or a trainee. */
export const TRAINER_ROLES: readonly string[] = ['instructor', 'trainer', 'teacher']
export const TRAINEE_ROLES: readonly string[] = ['student', 'trainee', 'learner']

const isCountry = (text: string): boolean => /^[A-Z]{2}$/.test(text)

/** A country as it is kept: what was not given stays, an empty one takes it away. */
export function readCountry(text: string | undefined, stored: string | null): string | null {
  const country = text === undefined ? stored : text.toUpperCase() || null
  if (country !== null && !isCountry(country))
    throw fail('validationFailed', 'country must be two letters, such as DE, or empty')
  return country
}

/** A name, or what else is one line, as it is kept. */
export function readLine(field: string, text: string): string {
  if (!isLine(text))
    throw fail('validationFailed', `${field} must be one line that can be seen, without control characters`)
  return text.normalize('NFC').trim()
}
