import { useNavigate, useSearch } from '@tanstack/react-router'

/** Order of a list, from the URL, and what happens when the person clicks on the head of a column. */
export interface Sort {
  /** The column that the list is sorted by, with `-` in front for descending order. */
  readonly by: string
  readonly onChange: (by: string) => void
}

/** Reads the order of a list from the URL, where a click on the head of a column changes it. The first page follows. */
export function useSort(byDefault: string): Sort {
  const { sort } = useSearch({ strict: false }) as { sort?: string }
  const navigate = useNavigate()
  return {
    by: sort ?? byDefault,
    onChange: (by) =>
      void navigate({
        to: '.',
        search: ({ page: _page, cursor: _cursor, ...kept }: Record<string, unknown>) =>
          ({ ...kept, sort: by }) as never,
      }),
  }
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

/** Sorts a list that is complete on the page. Lists with several pages are sorted on the server. */
export function sortDocs<T>(
  docs: readonly T[],
  by: string | undefined,
  columns: Readonly<Record<string, (one: T) => string | number | null>>,
): readonly T[] {
  const value = columns[by?.replace(/^-/, '') ?? '']
  if (value === undefined) return docs
  const direction = by?.startsWith('-') ? -1 : 1
  return docs.toSorted((a, b) => direction * compare(value(a), value(b)))
}

const compare = (a: string | number | null, b: string | number | null): number =>
  typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a ?? ''), String(b ?? ''))
