import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Child } from '../../api/operations.ts'

const route = getRouteApi('/signed-in/account/children/$handle')

/** Returns the query for the child whose handle is in the URL; its data is null if the person has no such child. */
export function useChildQuery() {
  const handle = route.useParams().handle.toLowerCase()
  return {
    ...route.useLoaderData().children,
    select: (children: readonly Child[]): Child | null =>
      children.find((child) => child.handle.toLowerCase() === handle) ?? null,
  }
}

/** Returns the child for a page inside `ChildFrame`, which renders the page only if the child exists. */
export const useChild = (): Child | null => useSuspenseQuery(useChildQuery()).data
