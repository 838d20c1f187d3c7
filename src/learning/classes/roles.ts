import type { ClassPermissions } from './schema.ts'

/** The roles of a person in a class, as `roles_in_class` in SQL tells them. */
export interface ClassRoles {
  readonly teaches: boolean
  readonly observes: boolean
  readonly manages: boolean
}

/** Instructors of the class, owners of the organisation and administrators: the roster and the locks. */
export const mayChange = ({ teaches, manages }: ClassRoles): boolean => teaches || manages
export const maySee = (roles: ClassRoles): boolean => roles.observes || mayChange(roles)
/** Instructors of the class and owners of the organisation; administrators do not grade. */
export const isGrader = ({ teaches, owns }: { readonly teaches: boolean; readonly owns: boolean }): boolean =>
  teaches || owns

interface RolesAndStatus extends ClassRoles {
  readonly owns: boolean
  /** As a student; null for everybody else. */
  readonly status: string | null
}

/**
 * A person's permissions in a class, for pages that show or hide actions. The operations decide by the same rules;
 * those for notes and launching are in SQL, and a test compares them. A class that has ended refuses some actions to
 * everybody, which is not a matter of permission.
 */
export const permissionsIn = (place: RolesAndStatus): ClassPermissions => ({
  manage: place.manages,
  changeRoster: mayChange(place),
  setLocks: mayChange(place),
  grade: isGrader(place),
  launch: place.teaches || place.status === 'active',
  keepNotes: place.teaches,
  writeOwnNotes: place.status === 'active' || (place.status !== null && maySee(place)),
})
