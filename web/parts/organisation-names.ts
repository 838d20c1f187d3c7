import { useQuery } from '@tanstack/react-query'
import { listOrganisations, type Organisation } from '../api/operations.ts'
import { query } from '../api/query.ts'

/** Reads the organisations with these keys, as far as the reader belongs to them. */
export function useOrganisations(keys: readonly string[]): readonly Organisation[] {
  const { data } = useQuery({
    ...query(listOrganisations, { organisations: [...keys].sort(), limit: 100 }),
    enabled: keys.length > 0,
  })
  return data?.docs ?? []
}

/** The names of organisations by their keys. One that the reader does not belong to keeps its key. */
export function useOrganisationNames(keys: readonly string[]): (key: string) => string {
  const organisations = useOrganisations(keys)
  return (key) => organisations.find(({ organisation }) => organisation === key)?.name ?? key
}
