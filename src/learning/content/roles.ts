import { holdsAny, type Role } from '../../kernel/roles.ts'

/** Roles that may read and upload files of an organisation. */
export const FILE_ROLES = [
  'owner',
  'instructor',
  'otherInstructor',
  'courseAuthor',
  'administrator',
] as const satisfies readonly Role[]
/** Roles that may delete a file. Instructors may delete only files that they uploaded. */
export const FILE_DELETERS = ['owner', 'administrator', 'uploader'] as const satisfies readonly Role[]

export interface FileAccess {
  readonly owns: boolean
  readonly administers: boolean
  /** Whether the person is an instructor of a class of the organisation, or can create its courses. */
  readonly teaches: boolean
}

const heldBy = ({ owns, administers, teaches }: FileAccess) => ({
  owner: owns,
  administrator: administers,
  instructor: teaches,
})

export const mayUseFiles = (access: FileAccess): boolean => holdsAny(heldBy(access), FILE_ROLES)
export const mayDelete = (access: FileAccess, isAuthor: boolean): boolean =>
  mayUseFiles(access) && holdsAny({ ...heldBy(access), uploader: isAuthor }, FILE_DELETERS)
