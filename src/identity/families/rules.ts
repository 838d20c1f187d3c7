import { fail } from '../../kernel/errors.ts'
import { readLine } from '../../kernel/lines.ts'
import { ageOn, canBeBirth, isAdult, isChild } from '../people/ages.ts'
import { readCountry } from '../people/countries.ts'

/** Maximum number of children under 13 per parent. */
const MAX_CHILDREN = 20
/** Maximum number of parents per child. */
const MAX_PARENTS = 10

const CHILD_UNTIL_AGE = 13

export interface PersonFacts {
  readonly handle: string
  readonly dateOfBirth: string | null
  readonly isAnonymous: boolean
}

/** Throws if the person cannot be a parent. A person without a date of birth counts as an adult. */
export function checkParent({ handle, dateOfBirth, isAnonymous }: PersonFacts, now: Date): void {
  if (isAnonymous || !isAdult(dateOfBirth, now))
    throw fail('wrongUserType', `${handle} cannot be a parent: a parent must be an adult with an account`)
}

/** Throws if the person has turned 13: until then the parents decide, afterwards the person does. */
export function checkChild({ handle, dateOfBirth }: Pick<PersonFacts, 'handle' | 'dateOfBirth'>, now: Date): void {
  if (!isChild(dateOfBirth, now))
    throw fail('wrongUserType', `${handle} is no longer a child: users of 13 or older decide for themselves`)
}

export function readBirth(text: string, now: Date): string {
  const born = new Date(text)
  if (!canBeBirth(now, born)) throw fail('validationFailed', 'dateOfBirth must be in the past')
  if (ageOn(now, born) >= CHILD_UNTIL_AGE)
    throw fail('validationFailed', 'dateOfBirth must be less than 13 years ago: older users create their own account')
  return born.toISOString().slice(0, 10)
}

export function checkChildCount(count: number): void {
  if (count >= MAX_CHILDREN) throw fail('impossibleNow', `A parent can have at most ${MAX_CHILDREN} children`)
}

export function checkParentCount(count: number): void {
  if (count >= MAX_PARENTS) throw fail('impossibleNow', `A child can have at most ${MAX_PARENTS} parents`)
}

/** The settings of a child that a parent may change. */
export interface ChildState {
  readonly first_name: string
  readonly last_name: string
  readonly country: string | null
  readonly public_search: boolean
  readonly camera_disabled: boolean
  readonly proximity_friends: boolean
}

export interface ChildChange {
  readonly firstName?: string
  readonly lastName?: string
  readonly country?: string
  readonly publicSearch?: boolean
  readonly cameraDisabled?: boolean
  readonly proximityFriends?: boolean
}

export const changeState = (state: ChildState, what: ChildChange): ChildState => ({
  first_name: what.firstName === undefined ? state.first_name : readLine('firstName', what.firstName),
  last_name: what.lastName === undefined ? state.last_name : readLine('lastName', what.lastName),
  country: readCountry(what.country, state.country),
  public_search: what.publicSearch ?? state.public_search,
  camera_disabled: what.cameraDisabled ?? state.camera_disabled,
  proximity_friends: what.proximityFriends ?? state.proximity_friends,
})

/** Returns the flags that changed, with their new values, for the audit log. */
export const decisionsIn = (before: ChildState, after: ChildState): Record<string, boolean> => ({
  ...(before.public_search === after.public_search ? {} : { publicSearch: after.public_search }),
  ...(before.camera_disabled === after.camera_disabled ? {} : { cameraDisabled: after.camera_disabled }),
  ...(before.proximity_friends === after.proximity_friends ? {} : { proximityFriends: after.proximity_friends }),
})
