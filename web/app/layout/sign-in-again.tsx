import { Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { ApiProblem } from '../../api/call.ts'
import { signIn } from '../../api/operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { appWords } from '../words.ts'

interface SignInAgainProps {
  readonly handle: string
  readonly isDemo: boolean
  readonly onEnd: (isDone: boolean) => void
}

/** The dialog that `confirmSignIn` opens. It opens over the page, so what the person has typed there is not lost. */
export function SignInAgain({ handle, isDemo, onEnd }: SignInAgainProps) {
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    try {
      await signIn({ handle, password })
      onEnd(true)
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error.message : String(error))
      setBusy(false)
    }
  }
  const here = `${location.pathname}${location.search}`
  return (
    <Dialog isOpen onClose={() => onEnd(false)} title={appWords.signInAgain.title}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{appWords.signInAgain.why(handle)}</Text>
          {isDemo && <Text size="sm">{appWords.signInAgain.demo}</Text>}
          <PasswordInput
            label={appWords.signInAgain.password}
            autoComplete="current-password"
            data-autofocus
            required
            withAsterisk={false}
            value={password}
            error={problem}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Group justify="space-between">
            <Anchor size="sm" href={`/account/signin?${new URLSearchParams({ again: 'true', next: here })}`}>
              {appWords.signInAgain.otherWay}
            </Anchor>
            <Button type="submit" loading={isBusy}>
              {appWords.signInAgain.go}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
