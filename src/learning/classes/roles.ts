import type { ClassPermissions } from './schema.ts'

/** The roles of a person in a class, as `roles_in_class` in SQL tells them. */
export interface Roles {
  readonly teaches: boolean
  readonly observes: boolean
  readonly manages: boolean
}

/** Instructors of the class, owners of the organisation and administrators: the roster and the locks. */
export const mayChange = ({ teaches, manages }: Roles): boolean => teaches || manages
export const maySee = (roles: Roles): boolean => roles.observes || mayChange(roles)
/** Instructors of the class and owners of the organisation; administrators do not grade. */
export const isGrader = ({ teaches, owns }: { readonly teaches: boolean; readonly owns: boolean }): boolean =>
  teaches || owns

interface Place extends Roles {
  readonly owns: boolean
  /** As a student; null for everybody else. */
  readonly status: string | null
}

/**
 * What somebody may do in a class, for pages that offer it. The operations themselves decide by the same rules; the
 * rules of notes and of launching are in SQL, and a test compares them. A class that has ended refuses some of this to
 * everybody, which is not a matter of permission.
 */
export const permissionsIn = (place: Place): ClassPermissions => ({
  manage: place.manages,
  changeRoster: mayChange(place),
  setLocks: mayChange(place),
  grade: isGrader(place),
  launch: place.teaches || place.status === 'active',
  keepNotes: place.teaches,
  writeOwnNotes: place.status === 'active' || (place.status !== null && maySee(place)),
})
