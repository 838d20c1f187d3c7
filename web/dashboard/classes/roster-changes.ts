import { listSentInvitations, listStudents, readClass, readGradebook } from '../../api/operations.ts'

/** Reads that a change of the roster makes stale. */
export const ROSTER_CHANGES = [listStudents, listSentInvitations, readClass, readGradebook]
