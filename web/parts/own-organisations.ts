import { queryOptions } from '@tanstack/react-query'
import { listOrganisations } from '../api/operations.ts'

export type OrganisationRole = 'owner' | 'developer' | 'courseAuthor'

/**
 * Returns the query for the number of organisations in which the person has this role, and for the one that a form
 * preselects: the organisation named in the URL, or the only one.
 */
export const ownOrganisations = (role: OrganisationRole, asked?: string) =>
  queryOptions({
    queryKey: [listOrganisations.operationName, { role, asked }] as readonly unknown[],
    queryFn: async ({ signal }) => {
      const [any, named] = await Promise.all([
        listOrganisations({ role, limit: 1 }, { signal }),
        asked === undefined ? undefined : listOrganisations({ role, limit: 1, organisations: [asked] }, { signal }),
      ])
      return { total: any.total, first: named?.docs[0] ?? (any.total === 1 ? any.docs[0] : undefined) }
    },
  })
