import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { answerWith } from '../../api/fresh-sign-in.ts'
import { type Here, readHere } from '../../api/operations.ts'
import { onDemand } from '../../parts/on-demand.ts'

const SignInAgain = onDemand(async () => (await import('./sign-in-again.tsx')).SignInAgain)

interface SignInRequest {
  readonly handle: string
  readonly isDemo: boolean
  readonly answer: (isDone: boolean) => void
}

/** Opens the dialog for `confirmSignIn`. It is loaded when it is first needed, because most pages never show it. */
export function SignInRequests() {
  const client = useQueryClient()
  const [request, setRequest] = useState<SignInRequest>()
  useEffect(() => {
    return answerWith(async () => {
      const here = client.getQueryData<Here>([readHere.operationName, {}]) ?? (await readHere({}))
      if (!here.person) return false
      const { handle } = here.person
      const isDemo = here.demoPeople.some((one) => one.handle === handle)
      return new Promise((answer) => setRequest({ handle, isDemo, answer }))
    })
  }, [client])
  if (!request) return null
  const { answer, ...who } = request
  const end = (isDone: boolean) => {
    answer(isDone)
    setRequest(undefined)
  }
  return <SignInAgain {...who} onEnd={end} />
}
