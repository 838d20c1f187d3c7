import { queryOptions } from '@tanstack/react-query'
import { findPeople, listVerbs } from '../api/operations.ts'
import type { Suggestion } from '../parts/suggest-field.tsx'

/** Finds people by what somebody typed; the value is the handle. */
export const suggestPeople = (typed: string) =>
  queryOptions<readonly Suggestion[], Error>({
    queryKey: [findPeople.operationName, 'suggestions', typed],
    queryFn: async ({ signal }) => {
      if (typed === '') return []
      const { docs } = await findPeople({ query: typed, limit: 8 }, { signal })
      return docs.map(({ handle, name }) => ({ value: handle, about: name }))
    },
  })

const MOST = 12

/** Finds verbs of the library by name or IRI; the value is the name. */
export const suggestVerbs = (typed: string) =>
  queryOptions<readonly Suggestion[], Error>({
    queryKey: [listVerbs.operationName, 'suggestions', typed],
    queryFn: async ({ signal }) =>
      (await listVerbs({}, { signal }))
        .filter(({ name, verbId }) => `${name} ${verbId}`.toLowerCase().includes(typed.toLowerCase()))
        .slice(0, MOST)
        .map(({ name, verbId }) => ({ value: name, about: verbId })),
  })
