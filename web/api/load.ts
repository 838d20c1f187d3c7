import { type query, queryClient } from './query.ts'

// biome-ignore lint/suspicious/noExplicitAny: a page reads answers of any type
type Reads = Readonly<Record<string, ReturnType<typeof query<any, any>>>>

/**
 * For the loader of a route. It waits for `first`, so that the page appears complete, and starts `rest` without
 * waiting: reads that are slow, or that depend on filters which somebody may be typing. A read that fails does not fail
 * the loader, because the page itself shows the problem in its place (`Loaded`).
 */
export async function load<First extends Reads, Rest extends Reads>(
  first: First,
  rest: Rest = {} as Rest,
): Promise<First & Rest> {
  for (const read of Object.values(rest)) void queryClient.prefetchQuery(read)
  await Promise.all(Object.values(first).map((read) => queryClient.ensureQueryData(read).catch(() => {})))
  // The loader has tried already: a page that mounts with an error shows it and does not read again by itself.
  return Object.fromEntries(
    Object.entries({ ...first, ...rest }).map(([name, read]) => [name, { ...read, retryOnMount: false }]),
  ) as never
}
