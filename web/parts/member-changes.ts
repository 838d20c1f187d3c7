import { listOrganisationMembers, listOrganisations, listSentInvitations, readOrganisation } from '../api/operations.ts'

/** Reads that a change of the members makes stale. */
export const MEMBER_CHANGES = [listOrganisationMembers, listSentInvitations, listOrganisations, readOrganisation]
