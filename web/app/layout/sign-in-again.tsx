import { Anchor, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { ApiProblem } from '../../api/call.ts'
import { answerWith } from '../../api/fresh-sign-in.ts'
import { type Here, readHere, signIn } from '../../api/operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { appWords } from '../words.ts'

/** The dialog that `confirmSignIn` opens. It opens over the page, so what the person has typed there is not lost. */
export function SignInAgain() {
  const client = useQueryClient()
  const [asked, setAsked] = useState<{ handle: string; isDemo: boolean; answer: (isDone: boolean) => void }>()
  const [password, setPassword] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  useEffect(() => {
    return answerWith(async () => {
      const here = client.getQueryData<Here>([readHere.operationName, {}]) ?? (await readHere({}))
      if (!here.person) return false
      const { handle } = here.person
      const isDemo = here.demoPeople.some((one) => one.handle === handle)
      return new Promise((answer) => setAsked({ handle, isDemo, answer }))
    })
  }, [client])

  const end = (isDone: boolean) => {
    asked?.answer(isDone)
    setAsked(undefined)
    setPassword('')
    setProblem(undefined)
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!asked) return
    setBusy(true)
    try {
      await signIn({ handle: asked.handle, password })
      end(true)
    } catch (error) {
      setProblem(error instanceof ApiProblem ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }
  const here = `${location.pathname}${location.search}`
  return (
    <Dialog isOpen={asked !== undefined} onClose={() => end(false)} title={appWords.signInAgain.title}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{appWords.signInAgain.why(asked?.handle ?? '')}</Text>
          {asked?.isDemo && <Text size="sm">{appWords.signInAgain.demo}</Text>}
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
