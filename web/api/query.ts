import { QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { ApiProblem, type Operation } from './call.ts'
import { confirmSignIn } from './fresh-sign-in.ts'

/** Retries only if the platform is unreachable or overloaded. Any other error would occur again. */
const isWorthAnotherTry = (count: number, error: Error): boolean =>
  count < 2 && error instanceof ApiProblem && (error.status === 0 || error.status === 503)

/**
 * `networkMode` is `always`, because the library would otherwise hold calls back while the browser is offline, and the
 * person would see a spinner and no message.
 */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 10_000, retry: isWorthAnotherTry, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
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

/** Milliseconds after which a write without an answer counts as failed. The platform itself allows 60 seconds. */
const WRITE_TIMEOUT_MS = 90_000

/** `crypto.randomUUID` would be shorter, but exists only on https and localhost. */
export const makeKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-')

/** Idempotency keys of writes whose outcome is unknown, by operation and input. */
const unanswered = new Map<string, string>()

/**
 * Sends a write. If no answer came, the next write with the same input has the same key, so that it has one effect
 * even if the first one did arrive.
 */
async function sendOnce<Input extends object, Output>(write: Operation<Input, Output>, input: Input): Promise<Output> {
  const what = `${write.operationName} ${JSON.stringify(input)}`
  const idempotencyKey = unanswered.get(what) ?? makeKey()
  unanswered.set(what, idempotencyKey)
  try {
    const output = await write(input, { idempotencyKey, timeoutMs: WRITE_TIMEOUT_MS })
    unanswered.delete(what)
    return output
  } catch (error) {
    if (!(error instanceof ApiProblem && error.isUnanswered)) unanswered.delete(what)
    throw error
  }
}

/**
 * Returns a mutation: `const save = useWrite(changeApp, { changes: [readApp, listApps] })`. If the operation needs a
 * recent sign-in, asks the person to sign in and then repeats the write. Repeating a write after a lost connection is
 * safe.
 */
export function useWrite<Input extends object, Output>(
  write: Operation<Input, Output>,
  { changes = [], onDone }: Write<Output> = {},
) {
  const client = useQueryClient()
  return useMutation<Output, Error, Input>({
    mutationFn: (input) => writeSignedIn(write, input),
    onSuccess: async (output) => {
      await Promise.all(changes.map(({ operationName }) => client.invalidateQueries({ queryKey: [operationName] })))
      onDone?.(output)
    },
  })
}

async function writeSignedIn<Input extends object, Output>(
  write: Operation<Input, Output>,
  input: Input,
): Promise<Output> {
  try {
    return await sendOnce(write, input)
  } catch (error) {
    if (!(error instanceof ApiProblem && error.isSignInNeeded && (await confirmSignIn()))) throw error
    return sendOnce(write, input)
  }
}

interface BulkItem<Input> {
  /** Names the item in the message if its write fails. */
  readonly name: string
  readonly input: Input
}

export interface BulkResult {
  readonly done: number
  readonly failed: readonly { readonly name: string; readonly message: string }[]
}

/**
 * Returns a mutation that performs one write for each selected item, one after the other. A write that fails does not
 * stop the others; the result names it.
 */
export function useBulkWrite<Input extends object, Output>(
  write: Operation<Input, Output>,
  { changes = [], onDone }: Write<BulkResult> = {},
) {
  const client = useQueryClient()
  return useMutation<BulkResult, Error, readonly BulkItem<Input>[]>({
    mutationFn: async (items) => {
      const failed: BulkResult['failed'][number][] = []
      for (const [i, { input }] of items.entries())
        try {
          await writeSignedIn(write, input)
        } catch (error) {
          // If the person does not sign in again, do not ask for each of the others.
          const isOver = error instanceof ApiProblem && error.isSignInNeeded
          const { message } = error as Error
          failed.push(...items.slice(i, isOver ? undefined : i + 1).map(({ name }) => ({ name, message })))
          if (isOver) break
        }
      return { done: items.length - failed.length, failed }
    },
    onSuccess: async (result) => {
      await Promise.all(changes.map(({ operationName }) => client.invalidateQueries({ queryKey: [operationName] })))
      onDone?.(result)
    },
  })
}
