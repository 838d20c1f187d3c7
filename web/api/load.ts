import { type query, queryClient } from './query.ts'

// biome-ignore lint/suspicious/noExplicitAny: a page reads answers of any type
type Reads = Readonly<Record<string, ReturnType<typeof query<any, any>>>>

/**
 * Loads the data of a page, for the loader of its route. Waits for the reads in `first`, so that the page appears
 * complete. Only starts the reads in `rest`: slow ones, and those that depend on filters which the person may be
 * typing. A failed read does not fail the loader, because the page shows the problem (`Loaded`).
 */
export async function load<First extends Reads, Rest extends Reads>(
  first: First,
  rest: Rest = {} as Rest,
): Promise<First & Rest> {
  for (const read of Object.values(rest)) void queryClient.prefetchQuery(read)
  await Promise.all(Object.values(first).map((read) => queryClient.ensureQueryData(read).catch(() => {})))
  // If a read failed in the loader, the page shows the error and does not automatically read again.
  return Object.fromEntries(
    Object.entries({ ...first, ...rest }).map(([name, read]) => [name, { ...read, retryOnMount: false }]),
  ) as never
}
