import { useQuery } from '@tanstack/react-query'
import { listOrganisations, type Organisation } from '../api/operations.ts'
import { query } from '../api/query.ts'

/** Loads the organisations with these keys. Organisations that the person does not belong to are left out. */
export function useOrganisations(keys: readonly string[]): readonly Organisation[] {
  const { data } = useQuery({
    ...query(listOrganisations, { organisations: [...keys].sort(), limit: 100 }),
    enabled: keys.length > 0,
  })
  return data?.docs ?? []
}

/**
 * Returns a function that turns the key of an organisation into its name. If the person does not belong to the
 * organisation, the key is returned.
 */
export function useOrganisationNames(keys: readonly string[]): (key: string) => string {
  const organisations = useOrganisations(keys)
  return (key) => organisations.find(({ organisation }) => organisation === key)?.name ?? key
}
