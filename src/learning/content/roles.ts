import { holdsAny, type Role } from '../../kernel/roles.ts'

/** Roles that may read and upload files of an organisation. Instructors may delete only files that they uploaded. */
export const FILE_ROLES = ['owner', 'instructor', 'administrator'] as const satisfies readonly Role[]
const CLEANERS = ['owner', 'administrator', 'author'] as const satisfies readonly Role[]

export interface FileAccess {
  readonly owns: boolean
  readonly administers: boolean
  /** Whether the person is an instructor of a class of the organisation. */
  readonly teaches: boolean
}

const heldBy = ({ owns, administers, teaches }: FileAccess) => ({
  owner: owns,
  administrator: administers,
  instructor: teaches,
})

export const mayUseFiles = (access: FileAccess): boolean => holdsAny(heldBy(access), FILE_ROLES)
export const mayDelete = (access: FileAccess, isAuthor: boolean): boolean =>
  mayUseFiles(access) && holdsAny({ ...heldBy(access), author: isAuthor }, CLEANERS)
