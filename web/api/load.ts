import { keepPreviousData } from '@tanstack/react-query'
import { type query, queryClient } from './query.ts'

// biome-ignore lint/suspicious/noExplicitAny: a page reads answers of any type
type Reads = Readonly<Record<string, ReturnType<typeof query<any, any>>>>

/** Milliseconds that a new page waits for its lists. The router shows placeholder lines after 200 ms. */
const PATIENCE_MS = 150

/** Whether the page shows a list already, so that it has rows to show while it is sorted, filtered or paged. */
const isShown = ([operation]: readonly unknown[]): boolean =>
  queryClient.getQueryCache().findAll({ queryKey: [operation], type: 'active' }).length > 0

/** Starts reads that are not cached. A failed read does not fail the loader: the page shows the problem (`Loaded`). */
const start = (reads: Reads) =>
  Promise.all(Object.values(reads).map((read) => queryClient.ensureQueryData(read).catch(() => {})))

/**
 * Loads the data of a page, for the loader of its route. Waits for the reads in `first`, so that the page appears
 * complete. Waits only a moment for the reads in `rest`: slow ones, and lists that are sorted, filtered or paged
 * through the URL. If such a list is on the page already, its old rows stay until the new ones arrive. Nothing waits
 * then, because the placeholder lines of the router would take the focus away from a column head.
 */
export async function load<First extends Reads, Rest extends Reads>(
  first: First,
  rest: Rest = {} as Rest,
): Promise<First & Rest> {
  const patience = Object.values(rest).some((read) => isShown(read.queryKey)) ? 0 : PATIENCE_MS
  const moment = Promise.race([start(rest), new Promise((resolve) => setTimeout(resolve, patience))])
  await Promise.all([start(first), moment])
  // If a read failed in the loader, the page shows the error and does not automatically read again.
  const options = { retryOnMount: false, placeholderData: keepPreviousData }
  return Object.fromEntries(
    Object.entries({ ...first, ...rest }).map(([name, read]) => [name, { ...read, ...options }]),
  ) as never
}
