import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from './card.tsx'
import { Pager } from './pager.tsx'
import { Loaded } from './states.tsx'

interface PagedListProps<T> {
  readonly query: UseQueryResult<{ readonly docs: readonly T[]; readonly pages: number; readonly total: number }, Error>
  readonly page: number
  /** Called with the new page number; undefined for the first page, which is not part of the URL. */
  readonly onPage: (page: number | undefined) => void
  /** Shown instead of the list if it is empty. */
  readonly empty: ReactNode
  readonly children: (docs: readonly T[]) => ReactNode
}

/** A card with one page of a list, and links to the other pages. */
export const PagedList = <T,>({ query, page, onPage, empty, children }: PagedListProps<T>) => (
  <Loaded query={query}>
    {({ docs, pages, total }) => (
      <Card isFlush>
        {docs.length === 0 ? (
          empty
        ) : (
          <>
            {children(docs)}
            <Pager page={page} pages={pages} total={total} onChange={(next) => onPage(next > 1 ? next : undefined)} />
          </>
        )}
      </Card>
    )}
  </Loaded>
)
