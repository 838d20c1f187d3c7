import { holdsAny, type Role } from '../../kernel/roles.ts'

/** The roles of a person in an organisation, as returned by `roles_in_organisation` in SQL. */
export interface OrganisationRoles {
  readonly owns: boolean
  readonly administers: boolean
}

/** Roles that may manage an organisation, its courses, its classes and its badges. */
export const MANAGERS = ['owner', 'administrator'] as const satisfies readonly Role[]
/** Roles that may write courses of an organisation. A course author edits only courses that they created. */
export const AUTHORS = [...MANAGERS, 'courseAuthor'] as const satisfies readonly Role[]
/** Roles that may manage the apps and plugins of an organisation. */
export const DEVELOPERS = ['owner', 'developer', 'administrator'] as const satisfies readonly Role[]
/** Roles that may manage an app or plugin that exists: an app can also have an owner without an organisation. */
export const APP_DEVELOPERS = [...DEVELOPERS, 'appOwner'] as const satisfies readonly Role[]
/** Roles that may search for people of an organisation in the planner. */
export const PLANNERS = ['owner', 'organisationInstructor', 'administrator'] as const satisfies readonly Role[]

export const mayManage = ({ owns, administers }: OrganisationRoles): boolean =>
  holdsAny({ owner: owns, administrator: administers }, MANAGERS)

/** Converts roles to the form in which `organisation_members` stores them. */
export const memberRoles = (roles: readonly Role[]): string[] => roles.flatMap((role) => STORED[role] ?? [])

const STORED: Partial<Record<Role, string>> = {
  owner: 'owner',
  developer: 'developer',
  organisationInstructor: 'instructor',
}
