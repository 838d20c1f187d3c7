import { queryOptions } from '@tanstack/react-query'
import { aggregateStatements, readNames } from '../../api/operations.ts'
import type { Suggestion } from '../../parts/suggest-field.tsx'
import { listed, sayObject } from './statement.ts'

const MOST = 12
const MOST_ACTIVITIES = 200
/** Milliseconds for which the activities are kept while somebody types. */
const KEPT_MS = 60_000

/** Finds the most frequent activities by name or IRI; the value is the IRI. */
export const suggestActivities = (typed: string) =>
  queryOptions<readonly Suggestion[], Error>({
    queryKey: [aggregateStatements.operationName, 'suggestions', typed],
    queryFn: async ({ client }) => {
      const activities = await client.fetchQuery({
        queryKey: [aggregateStatements.operationName, 'named activities'],
        queryFn: listActivities,
        staleTime: KEPT_MS,
      })
      return activities
        .filter(({ value, about }) => `${about} ${value}`.toLowerCase().includes(typed.toLowerCase()))
        .slice(0, MOST)
    },
  })

async function listActivities() {
  const { groups } = await aggregateStatements({ by: 'activity', limit: MOST_ACTIVITIES })
  const objects = groups.flatMap(({ activity }) =>
    activity ? [{ id: activity.id, ...(activity.name && { definition: { name: activity.name } }) }] : [],
  )
  const names = { ...(await readNames({ activities: listed(objects.map(({ id }) => id)) })), homePage: '' }
  return objects.map((object) => ({ value: object.id, about: sayObject(object, names) }))
}
