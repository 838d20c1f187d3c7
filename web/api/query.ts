import { QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiProblem, type Operation } from './call.ts'
import { confirmSignIn } from './fresh-sign-in.ts'

/** Only an unreachable or overloaded platform is worth another try: a refusal would be repeated. */
const isWorthAnotherTry = (count: number, error: Error): boolean =>
  count < 2 && error instanceof ApiProblem && (error.status === 0 || error.status === 503)

export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: isWorthAnotherTry } },
})

/** The options of a read: `useQuery(query(listClasses, {}))`. The operation's name and its input are the cache key. */
export const query = <Input extends object, Output>(read: Operation<Input, Output>, input: Input) =>
  queryOptions<Output, Error, Output, readonly unknown[]>({
    queryKey: [read.operationName, input],
    queryFn: ({ signal }) => read(input, { signal }),
  })

interface Write<Output> {
  /** Reads that the write makes stale. */
  // biome-ignore lint/suspicious/noExplicitAny: operations have as many types of input as there are
  readonly changes?: readonly Operation<any, any>[]
  readonly onDone?: (output: Output) => void
}

/**
 * A write: `const save = useWrite(changeApp, { changes: [readApp, listApps] })`. If the operation needs a fresh sign-
 * in, the person is asked for it and the write is repeated.
 */
export function useWrite<Input extends object, Output>(
  write: Operation<Input, Output>,
  { changes = [], onDone }: Write<Output> = {},
) {
  const client = useQueryClient()
  return useMutation<Output, Error, Input>({
    mutationFn: async (input) => {
      try {
        return await write(input)
      } catch (error) {
        if (!(error instanceof ApiProblem && error.isSignInNeeded && (await confirmSignIn()))) throw error
        return write(input)
      }
    },
    onSuccess: async (output) => {
      await Promise.all(changes.map(({ operationName }) => client.invalidateQueries({ queryKey: [operationName] })))
      onDone?.(output)
    },
  })
}
