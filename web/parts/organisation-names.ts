import { useQuery } from '@tanstack/react-query'
import { listOrganisations } from '../api/operations.ts'
import { query } from '../api/query.ts'

/** What organisations are called, by their keys. One that the reader does not belong to keeps its key. */
export function useOrganisationNames(keys: readonly string[]): (key: string) => string {
  const { data } = useQuery({
    ...query(listOrganisations, { organisations: [...keys].sort(), limit: 100 }),
    enabled: keys.length > 0,
  })
  return (key) => data?.docs.find(({ organisation }) => organisation === key)?.name ?? key
}
