import { holdsAny, type Role } from '../../kernel/roles.ts'
import type { ClassPermissions } from './schema.ts'

/** The roles of a person in a class, as returned by the SQL function `roles_in_class`. */
export interface ClassRoles {
  readonly teaches: boolean
  readonly observes: boolean
  /** Whether the person owns the organisation of the course or is an administrator. */
  readonly manages: boolean
}

const STAFF = ['instructor', 'observer', 'owner', 'administrator'] as const

/**
 * For each kind of action in a class, the roles that allow it; one of them is enough. Operations declare these roles,
 * and the functions below check them.
 */
export const MAY = {
  /** Read a student's progress and results; a student may read only their own. */
  readStudent: ['student', ...STAFF],
  /** Read about the whole class: its students, locks, gradebook and events. */
  readClass: STAFF,
  /** Change the roster and the locks. */
  change: ['instructor', 'owner', 'administrator'],
  /** Grade attempts. Administrators may not. */
  grade: ['instructor', 'owner'],
  record: ['student', 'instructor'],
  /** Record evaluations of instructor-led lessons. */
  evaluate: ['instructor'],
  launch: ['student', 'classmate', 'instructor'],
  keepNotes: ['instructor'],
  announce: ['instructor', 'owner', 'administrator'],
  /** Leave the class by oneself. An owner relieves instructors. */
  leave: ['student', 'classmate', 'formerStudent', 'observer'],
} as const satisfies Record<string, readonly Role[]>

const heldBy = ({ teaches, observes, manages, owns }: Partial<ClassRoles> & { readonly owns?: boolean }) => ({
  instructor: teaches === true,
  observer: observes === true,
  // `manages` is also true for owners. This does no harm: owners may do everything in a class that administrators may
  // do.
  administrator: manages === true,
  owner: owns === true,
})

export const mayChange = (roles: ClassRoles): boolean => holdsAny(heldBy(roles), MAY.change)
export const maySee = (roles: ClassRoles): boolean => holdsAny(heldBy(roles), MAY.readClass)
export const isGrader = (roles: { readonly teaches: boolean; readonly owns: boolean }): boolean =>
  holdsAny(heldBy(roles), MAY.grade)
export const isRecorder = (roles: { readonly teaches: boolean }): boolean => holdsAny(heldBy(roles), MAY.evaluate)

/** How the caller is related to a student of a class. */
export interface Relation extends ClassRoles {
  readonly isOwn: boolean
  /** Whether the caller owns the organisation. It is queried only for grading, and false otherwise. */
  readonly owns: boolean
  readonly status: string
}

/**
 * Whether the caller may record progress: active students for themselves, instructors for students who were not
 * dropped.
 */
export const mayRecord = ({ isOwn, teaches, status }: Relation): boolean =>
  holdsAny({ student: isOwn && status === 'active', instructor: teaches && status !== 'dropped' }, MAY.record)
export const mayRead = (relation: Relation): boolean =>
  holdsAny({ ...heldBy(relation), student: relation.isOwn }, MAY.readStudent)
/**
 * Whether the caller may grade. Students cannot grade themselves. Grades can still be corrected after the student has
 * left or the class has ended.
 */
export const mayGrade = (relation: Relation): boolean => !relation.isOwn && isGrader(relation)

interface RolesAndStatus extends ClassRoles {
  readonly owns: boolean
  /** The person's status as a student of the class; null if they are not a student. */
  readonly status: string | null
}

/**
 * Lists what the caller may do in a class, so that pages can offer it. The rules for notes and launching are also
 * implemented in SQL; the access test checks that both agree. The list ignores that a class has ended, although some
 * actions are then refused for everybody.
 */
export function permissionsIn(roles: RolesAndStatus): ClassPermissions {
  const held = { ...heldBy(roles), student: roles.status === 'active' }
  return {
    manage: roles.manages,
    changeRoster: holdsAny(held, MAY.change),
    setLocks: holdsAny(held, MAY.change),
    grade: holdsAny(held, MAY.grade),
    evaluate: holdsAny(held, MAY.evaluate),
    launch: holdsAny(held, MAY.launch),
    keepNotes: holdsAny(held, MAY.keepNotes),
    announce: holdsAny(held, MAY.announce),
    leave: holdsAny({ ...held, student: roles.status !== null }, MAY.leave),
    writeOwnNotes: held.student || (roles.status !== null && maySee(roles)),
  }
}
