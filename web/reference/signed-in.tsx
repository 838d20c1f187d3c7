import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useHere } from '../api/here.ts'
import { KeyRound, UserRound } from '../parts/icons.tsx'
import { notify, notifyProblem } from '../parts/notify.tsx'
import { onDemand } from '../parts/on-demand.ts'
import { holdPair, useHeld } from './credentials.ts'
import type { AboutExample } from './document.ts'
import classes from './reference.module.css'
import type { AuthMethod } from './request.ts'
import { endSession } from './sign-in.ts'
import { referenceWords } from './words.ts'

const { signIn: say } = referenceWords

const SignInDialog = onDemand(async () => (await import('./sign-in-form.tsx')).SignInDialog)

interface SignedInProps {
  /** The ways of authentication that the operation accepts; by default all that use credentials. */
  readonly ways?: readonly AuthMethod[]
  readonly example?: AboutExample
  /** The scopes that the token needs; without a list, the person is asked for everything. */
  readonly scopes?: readonly string[] | undefined
}

/** Shows the credentials that the page holds, and lets the person change them. */
export function SignedIn({ ways = ['bearer', 'basic', 'browser'], example = {}, scopes }: SignedInProps) {
  const { session, pair } = useHeld()
  const { person } = useHere()
  const [isOpen, setOpen] = useState(false)
  const leave = async () => {
    try {
      await endSession(session!)
      notify(say.outDone)
    } catch (error) {
      notifyProblem((error as Error).message)
    }
  }
  const hasEnded = session?.endsAt !== undefined && session.endsAt < Date.now()
  const next = `${location.pathname}${location.search}`
  return (
    <Stack gap="xs">
      {(ways.includes('bearer') || ways.includes('basic')) && (
        <div className={classes.line}>
          <KeyRound size={18} aria-hidden />
          <div className={classes.held}>
            {session && (
              <>
                <Text size="sm" fw={550}>
                  {say.session(session.handle, session.clientId)}
                </Text>
                {hasEnded && <Text size="sm">{say.ended}</Text>}
                <Button size="compact-sm" variant="default" onClick={leave}>
                  {say.out}
                </Button>
              </>
            )}
            {pair && (
              <>
                <Text size="sm" fw={550}>
                  {say.pair(pair.key)}
                </Text>
                <Button size="compact-sm" variant="default" onClick={() => holdPair(undefined)}>
                  {say.forget}
                </Button>
              </>
            )}
            <Button size="compact-sm" variant={session || pair ? 'subtle' : 'light'} onClick={() => setOpen(true)}>
              {session || pair ? say.change : say.title}
            </Button>
          </div>
        </div>
      )}
      {ways.includes('browser') && (
        <div className={classes.line}>
          <UserRound size={18} aria-hidden />
          <div className={classes.held}>
            <Text size="sm" c="dimmed">
              {say.browserText} {person ? say.browserAs(person.handle) : say.browserNobody}
            </Text>
            {!person && (
              <Anchor size="sm" underline="always" href={`/account/signin?${new URLSearchParams({ next })}`}>
                {say.browserGo}
              </Anchor>
            )}
          </div>
        </div>
      )}
      {isOpen && <SignInDialog example={example} scopes={scopes} onClose={() => setOpen(false)} />}
    </Stack>
  )
}
