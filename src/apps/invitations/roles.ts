import type { Role } from '../../kernel/roles.ts'

/** Roles that may send, see, resend and withdraw invitations; instructors only those of students to their classes. */
export const INVITERS = ['instructor', 'owner', 'administrator'] as const satisfies readonly Role[]
