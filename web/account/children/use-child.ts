import { useQuery } from '@tanstack/react-query'
import { type Child, listChildren } from '../../api/operations.ts'
import { query } from '../../api/query.ts'

/** One of the children whom one looks after; null where there is none with that handle. */
export const useChild = (handle: string) =>
  useQuery({
    ...query(listChildren, {}),
    select: (children): Child | null =>
      children.find((child) => child.handle.toLowerCase() === handle.toLowerCase()) ?? null,
  })
