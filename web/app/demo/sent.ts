import { useCallback, useState } from 'react'
import { ApiProblem, type CallOptions, type Operation } from '../../api/call.ts'

/** A request that the demo app has sent, and its outcome. */
export interface SentRequest {
  readonly name: string
  readonly outcome: string
}

/** Returns a function that calls operations as an app would, and the list of all calls so far. */
export function useSent() {
  const [sent, setSent] = useState<readonly SentRequest[]>([])
  const note = useCallback((name: string, outcome: string) => setSent((all) => [...all, { name, outcome }]), [])
  const send = useCallback(
    async <Input, Output>(operation: Operation<Input, Output>, input: Input, options: CallOptions): Promise<Output> => {
      try {
        const output = await operation(input, options)
        note(operation.operationName, '200')
        return output
      } catch (error) {
        if (error instanceof ApiProblem) note(operation.operationName, `${error.status}/${error.code}`)
        throw error
      }
    },
    [note],
  )
  return { sent, send }
}
