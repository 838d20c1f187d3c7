import { DONE } from '../../kernel/samples.ts'

const as = 'ellis' as const
const may = { manage: true }
const SANDHILLS = { organisation: 'sandhills', name: 'Sandhills Aviation School', role: null, may }
const DREW = { handle: '@drew', firstName: 'Drew', lastName: 'Castellanos', role: 'instructor' }
const NAMED = { organisation: 'sandhills', handle: '@drew' }
const HARBOUR = { organisation: 'harbour', name: 'Harbour Seaplanes' }

/** What people read about these operations. */
export const examples = {
  createOrganisation: {
    description:
      'Administrators create organisations, and name a first owner or add members afterwards. An owner manages the organisation, its courses and its classes.',
    example: { request: { ...HARBOUR, owner: '@casey' }, answer: { ...HARBOUR, role: null, may }, as },
  },
  renameOrganisation: {
    description: 'The name is what people read. The key stays as it is, because files and courses refer to it.',
    example: {
      request: { organisation: 'sandhills', name: 'Sandhills School of Aviation' },
      answer: { ...SANDHILLS, name: 'Sandhills School of Aviation' },
      as,
    },
  },
  readOrganisation: {
    description:
      'The name of the organisation, and the role of the caller in it. Its members and administrators can read it.',
    example: { request: { organisation: 'sandhills' }, answer: SANDHILLS, as },
  },
  listOrganisations: {
    description:
      'Everybody sees the organisations that they belong to, with their role. Administrators see all of them, by name.',
    example: {
      request: { limit: 1, page: 2 },
      answer: { docs: [SANDHILLS], total: 2, limit: 1, page: 2, pages: 2 },
      as,
    },
  },
  listOrganisationMembers: {
    description: 'All members, ordered by handle. Owners and administrators can see them.',
    example: {
      request: { organisation: 'sandhills' },
      answer: {
        docs: [{ handle: '@avery', firstName: 'Avery', lastName: 'Lindqvist', role: 'student' }, DREW],
        total: 2,
        limit: 10,
        page: 1,
        pages: 1,
      },
      as,
      after: 'setOrganisationMember',
    },
  },
  setOrganisationMember: {
    description:
      'Adds somebody to the organisation, or gives a member another role. Owners manage the organisation with its courses and classes, developers its apps. The last owner keeps that role until there is another owner.',
    example: { request: { ...NAMED, role: 'instructor' }, answer: DREW, as },
  },
  removeOrganisationMember: {
    description:
      'The person no longer belongs to the organisation. Their roles in classes stay. The last owner cannot be removed by an owner.',
    example: { request: NAMED, answer: DONE, as, after: 'setOrganisationMember' },
  },
}
