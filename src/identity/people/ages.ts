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

/** What decides about somebody's type: nobody sets it. */
export interface Born {
  /** A day in ISO 8601; whoever has not said it counts as an adult. */
  readonly dateOfBirth: string | null
  readonly accountKind: string | null
  readonly hasChildren: boolean
}

export interface Types {
  readonly userType: AccountKind['userType']
  readonly accountType: AccountKind['accountType'] | 'Parent' | 'Character' | 'Community'
}

export function typesOf(born: Born, now: Date): Types {
  const { userType, accountType } = accountKindAt(
    born.dateOfBirth === null ? Number.POSITIVE_INFINITY : ageOnDay(now, born.dateOfBirth),
  )
  if (born.accountKind !== null) return { userType, accountType: born.accountKind as Types['accountType'] }
  return { userType, accountType: accountType === 'Adult' && born.hasChildren ? 'Parent' : accountType }
}

export const isChild = (dateOfBirth: string | null, now: Date): boolean =>
  typesOf({ dateOfBirth, accountKind: null, hasChildren: false }, now).userType === 'child'

export const isAdult = (dateOfBirth: string | null, now: Date): boolean =>
  typesOf({ dateOfBirth, accountKind: null, hasChildren: false }, now).userType === 'adult'

/** Whoever was born after this day is a child. On 29 February thirteen years ago is the 28th. */
export function childrenBornAfter(now: Date): string {
  const [year, month, day] = [now.getUTCFullYear() - 13, now.getUTCMonth(), now.getUTCDate()]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return new Date(Date.UTC(year, month, Math.min(day, last))).toISOString().slice(0, 10)
}
