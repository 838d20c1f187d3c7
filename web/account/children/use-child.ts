import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Child } from '../../api/operations.ts'

const route = getRouteApi('/signed-in/account/children/$handle')

/** The child whose handle the address names; null if the reader has no such child. */
export function useChildQuery() {
  const handle = route.useParams().handle.toLowerCase()
  return {
    ...route.useLoaderData().children,
    select: (children: readonly Child[]): Child | null =>
      children.find((child) => child.handle.toLowerCase() === handle) ?? null,
  }
}

/** The child for a page in the frame, which renders it only while there is one. */
export const useChild = (): Child | null => useSuspenseQuery(useChildQuery()).data
