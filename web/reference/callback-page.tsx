import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { ButtonLink } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Problem, Waiting } from '../parts/states.tsx'
import { finishSignIn } from './sign-in.ts'
import { referenceWords } from './words.ts'

const { signIn: say } = referenceWords

/** The redirect URI of the sign-in. It replaces its own entry in the browser history, which contains the code. */
export function CallbackPage() {
  const navigate = useNavigate()
  const [problem, setProblem] = useState<Error>()
  const hasBegun = useRef(false)
  useEffect(() => {
    // A code works only once, so do not exchange it again if the effect runs again.
    if (hasBegun.current) return
    hasBegun.current = true
    finishSignIn(new URLSearchParams(location.search)).then(
      (next) => navigate({ href: next, replace: true }),
      (error: Error) => {
        history.replaceState(history.state, '', location.pathname)
        setProblem(error)
      },
    )
  }, [navigate])
  if (!problem)
    return (
      <>
        <PageHead title={say.callbackTitle} />
        <Waiting />
      </>
    )
  return (
    <>
      <PageHead title={say.callbackFailed} />
      <Problem error={problem} />
      <ButtonLink to="/docs/reference" variant="default" mt="md">
        {say.callbackBack}
      </ButtonLink>
    </>
  )
}
