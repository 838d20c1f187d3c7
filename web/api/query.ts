import { QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiProblem, type Operation } from './call.ts'
import { confirmSignIn } from './fresh-sign-in.ts'

/** Retries only if the platform is unreachable or overloaded. Any other error would occur again. */
const isWorthAnotherTry = (count: number, error: Error): boolean =>
  count < 2 && error instanceof ApiProblem && (error.status === 0 || error.status === 503)

export const queryClient = new QueryClient({
  defaultOptions: { queries: { staleTime: 10_000, retry: isWorthAnotherTry } },
})

/**
 * Returns the options of a read: `useQuery(query(listClasses, {}))`. The cache key consists of the operation's name and
 * its input.
 */
export const query = <Input extends object, Output>(read: Operation<Input, Output>, input: Input) =>
  queryOptions<Output, Error, Output, readonly unknown[]>({
    queryKey: [read.operationName, input],
    queryFn: ({ signal }) => read(input, { signal }),
  })

interface Write<Output> {
  /** Read operations whose cached results the write makes stale. */
  // biome-ignore lint/suspicious/noExplicitAny: operations have as many types of input as there are
  readonly changes?: readonly Operation<any, any>[]
  readonly onDone?: (output: Output) => void
}

/**
 * Returns a mutation: `const save = useWrite(changeApp, { changes: [readApp, listApps] })`. If the operation needs a
 * recent sign-in, asks the person to sign in and then repeats the write.
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
