const MAX_AGE_YEARS = 150

/**
 * Encodes the calendar day in UTC as a number, such as 20260501. The difference of two such numbers, divided by 10,000
 * and rounded down, is the number of whole years between the days.
 */
const dayOf = (moment: Date): number =>
  moment.getUTCFullYear() * 10_000 + (moment.getUTCMonth() + 1) * 100 + moment.getUTCDate()

/**
 * Returns the age in whole years; the birthday itself counts. People born on 29 February turn a year older on 1 March
 * in years without a 29 February.
 */
export const ageOn = (day: Date, dateOfBirth: Date): number => Math.floor((dayOf(day) - dayOf(dateOfBirth)) / 10_000)

/** Like `ageOn`, for a date of birth in the database's text form, such as 2001-12-31. */
export const ageOnDay = (day: Date, born: string): number =>
  Math.floor((dayOf(day) - Number(born.slice(0, 4) + born.slice(5, 7) + born.slice(8, 10))) / 10_000)

/** Whether this can be a date of birth: not in the future, nor more than `MAX_AGE_YEARS` in the past. */
export function canBeBirth(day: Date, dateOfBirth: Date): boolean {
  const distance = dayOf(day) - dayOf(dateOfBirth)
  return distance >= 0 && distance <= MAX_AGE_YEARS * 10_000
}

export interface AccountKind {
  readonly userType: 'child' | 'teen-minor' | 'adult'
  readonly accountType: 'Kid' | 'Adult'
}

/** Derives the account kind from the age alone. */
export function accountKindAt(age: number): AccountKind {
  if (age < 13) return { userType: 'child', accountType: 'Kid' }
  return { userType: age < 18 ? 'teen-minor' : 'adult', accountType: 'Adult' }
}

/** The facts from which a person's user type and account type are derived; the types themselves are not stored. */
export interface TypeFacts {
  /** An ISO 8601 date. A person without a date of birth counts as an adult. */
  readonly dateOfBirth: string | null
  readonly accountKind: string | null
  readonly hasChildren: boolean
}

export interface PersonTypes {
  readonly userType: AccountKind['userType']
  readonly accountType: AccountKind['accountType'] | 'Parent' | 'Character' | 'Community'
}

export function typesOf(born: TypeFacts, now: Date): PersonTypes {
  const { userType, accountType } = accountKindAt(
    born.dateOfBirth === null ? Number.POSITIVE_INFINITY : ageOnDay(now, born.dateOfBirth),
  )
  if (born.accountKind !== null) return { userType, accountType: born.accountKind as PersonTypes['accountType'] }
  return { userType, accountType: accountType === 'Adult' && born.hasChildren ? 'Parent' : accountType }
}

export const isChild = (dateOfBirth: string | null, now: Date): boolean =>
  typesOf({ dateOfBirth, accountKind: null, hasChildren: false }, now).userType === 'child'

export const isAdult = (dateOfBirth: string | null, now: Date): boolean =>
  typesOf({ dateOfBirth, accountKind: null, hasChildren: false }, now).userType === 'adult'

/**
 * Returns the day 13 years ago; people born after that day are children. If today is 29 February, returns 28 February.
 */
export function childrenBornAfter(now: Date): string {
  const [year, month, day] = [now.getUTCFullYear() - 13, now.getUTCMonth(), now.getUTCDate()]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(day, last))).toISOString().slice(0, 10)
}
