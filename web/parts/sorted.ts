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
