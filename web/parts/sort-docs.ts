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
