import { holdsAny, type Role } from '../../kernel/roles.ts'
import type { ClassPermissions } from './schema.ts'

/** The roles of a person in a class, as `roles_in_class` in SQL tells them. */
export interface ClassRoles {
  readonly teaches: boolean
  readonly observes: boolean
  /** Owns the organisation of the course, or is an administrator. */
  readonly manages: boolean
}

const STAFF = ['instructor', 'observer', 'owner', 'administrator'] as const

/** The roles that an action in a class needs. The operations declare them, and the checks below read them. */
export const MAY = {
  /** A student's own progress and results. */
  readStudent: ['student', ...STAFF],
  /** The whole class: its students, locks, gradebook and events. */
  readClass: STAFF,
  /** The roster and the locks. */
  change: ['instructor', 'owner', 'administrator'],
  /** Administrators do not grade. */
  grade: ['instructor', 'owner'],
  record: ['student', 'instructor'],
  launch: ['student', 'classmate', 'instructor'],
  keepNotes: ['instructor'],
} as const satisfies Record<string, readonly Role[]>

const heldBy = ({ teaches, observes, manages, owns }: Partial<ClassRoles> & { readonly owns?: boolean }) => ({
  instructor: teaches === true,
  observer: observes === true,
  // Owners manage too, and all that administrators may do in a class, owners may do as well.
  administrator: manages === true,
  owner: owns === true,
})

export const mayChange = (roles: ClassRoles): boolean => holdsAny(heldBy(roles), MAY.change)
export const maySee = (roles: ClassRoles): boolean => holdsAny(heldBy(roles), MAY.readClass)
export const isGrader = (roles: { readonly teaches: boolean; readonly owns: boolean }): boolean =>
  holdsAny(heldBy(roles), MAY.grade)

/** The caller's relation to a student of a class. */
export interface Relation extends ClassRoles {
  readonly isOwn: boolean
  /** Read only when grading; false otherwise. */
  readonly owns: boolean
  readonly status: string
}

/** Students record for themselves while they are active, instructors for all who were not dropped. */
export const mayRecord = ({ isOwn, teaches, status }: Relation): boolean =>
  holdsAny({ student: isOwn && status === 'active', instructor: teaches && status !== 'dropped' }, MAY.record)
export const mayRead = (relation: Relation): boolean =>
  holdsAny({ ...heldBy(relation), student: relation.isOwn }, MAY.readStudent)
/** Students cannot grade themselves. Grades can be corrected after a student has left and after the class has ended. */
export const mayGrade = (relation: Relation): boolean => !relation.isOwn && isGrader(relation)

interface RolesAndStatus extends ClassRoles {
  readonly owns: boolean
  /** As a student; null for everybody else. */
  readonly status: string | null
}

/**
 * What the caller may do in a class, for pages that offer it. The rules of notes and of launching are in SQL, and the
 * access test compares them. A class that has ended refuses some of this to everybody, which is not a matter of
 * permission.
 */
export function permissionsIn(roles: RolesAndStatus): ClassPermissions {
  const held = { ...heldBy(roles), student: roles.status === 'active' }
  return {
    manage: roles.manages,
    changeRoster: holdsAny(held, MAY.change),
    setLocks: holdsAny(held, MAY.change),
    grade: holdsAny(held, MAY.grade),
    launch: holdsAny(held, MAY.launch),
    keepNotes: holdsAny(held, MAY.keepNotes),
    writeOwnNotes: held.student || (roles.status !== null && maySee(roles)),
  }
}
