import { Button, Group, PasswordInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useHere } from '../api/here.ts'
import { Copied } from '../parts/copied.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Problem } from '../parts/states.tsx'
import { holdPair, holdSession } from './credentials.ts'
import type { AboutExample } from './document.ts'
import { clientIdIn } from './request.ts'
import { callbackAddress, leaveToSignIn, recognise } from './sign-in.ts'
import { referenceWords } from './words.ts'

const { signIn: say } = referenceWords
const KINDS = ['app', 'token', 'pair'] as const
type Kind = (typeof KINDS)[number]

/** The dialog in which people enter credentials. Its code is loaded when it is opened. */
export const SignInDialog = ({
  example,
  scopes,
  onClose,
}: Pick<SignInFormProps, 'example' | 'scopes'> & { readonly onClose: () => void }) => (
  <Dialog isOpen title={say.title} onClose={onClose}>
    <SignInForm example={example} scopes={scopes} onDone={onClose} />
  </Dialog>
)

interface SignInFormProps {
  /** The example of the current operation, which may contain demo credentials. */
  readonly example: AboutExample
  /** The scopes that the current operation needs; undefined outside the page of an operation. */
  readonly scopes: readonly string[] | undefined
  readonly onDone: () => void
}

/** Offers three ways to get credentials: sign in to an app, paste a token, or enter a key and a secret. */
function SignInForm({ example, scopes, onDone }: SignInFormProps) {
  const here = useHere()
  const hasDemo = here.demoPeople.length > 0
  const pair = hasDemo ? example.pair : undefined
  const [kind, setKind] = useState<Kind>(example.pair ? 'pair' : 'app')
  const [clientId, setClientId] = useState(hasDemo ? clientIdIn(here, example.clientId ?? 'gs-demo-app') : '')
  // The secret of the demo app is public, so it is filled in.
  const [clientSecret, setClientSecret] = useState(hasDemo ? 'gs-demo-secret' : '')
  const [token, setToken] = useState('')
  const [key, setKey] = useState(clientIdIn(here, pair?.key ?? ''))
  const [secret, setSecret] = useState(pair?.secret ?? '')
  const [fault, setFault] = useState<string>()
  const [problem, setProblem] = useState<Error>()
  const [isBusy, setBusy] = useState(false)

  const acts: Readonly<Record<Kind, () => Promise<void>>> = {
    app: async () => {
      if (clientId.trim() === '') return setFault(say.missingClient)
      const next = location.pathname
      await leaveToSignIn({ clientId: clientId.trim(), clientSecret, scopes, next })
    },
    token: async () => {
      if (token.trim() === '') return setFault(say.missingToken)
      holdSession(await recognise(token.trim()))
      onDone()
    },
    pair: async () => {
      if (key.trim() === '' || secret === '') return setFault(say.missingKey)
      holdPair({ key: key.trim(), secret })
      onDone()
    },
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setFault(undefined)
    setProblem(undefined)
    setBusy(true)
    try {
      await acts[kind]()
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  const choose = (value: string) => {
    setKind(value as Kind)
    setFault(undefined)
    setProblem(undefined)
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SegmentedControl
          aria-label={say.kind}
          fullWidth
          value={kind}
          data={KINDS.map((value) => ({ value, label: say.kinds[value] }))}
          onChange={choose}
        />
        {problem && <Problem error={problem} />}
        {kind === 'app' && (
          <>
            <Text size="sm">{say.appText}</Text>
            {!isSecureContext && <Problem error={new Error(say.insecure)} />}
            <TextInput
              label={say.clientId}
              value={clientId}
              error={fault}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setClientId(event.currentTarget.value)}
            />
            <div>
              <Text size="sm" c="dimmed" mb={4}>
                {say.clientIdHelp}
              </Text>
              <Copied value={callbackAddress()} what={say.redirect} />
            </div>
            <PasswordInput
              label={say.clientSecret}
              description={say.clientSecretHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={clientSecret}
              autoComplete="off"
              onChange={(event) => setClientSecret(event.currentTarget.value)}
            />
            <Text size="sm" c="dimmed">
              {say.kept}
            </Text>
          </>
        )}
        {kind === 'token' && (
          <>
            <PasswordInput
              label={say.token}
              description={say.tokenHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={token}
              error={fault}
              autoComplete="off"
              onChange={(event) => setToken(event.currentTarget.value)}
            />
            <Text size="sm" c="dimmed">
              {say.kept}
            </Text>
          </>
        )}
        {kind === 'pair' && (
          <>
            <Text size="sm">{say.pairText}</Text>
            <TextInput
              label={say.key}
              value={key}
              error={fault}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setKey(event.currentTarget.value)}
            />
            <PasswordInput
              label={say.secret}
              description={say.pairKept}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              value={secret}
              autoComplete="off"
              onChange={(event) => setSecret(event.currentTarget.value)}
            />
          </>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy}>
            {kind === 'app' ? say.go : kind === 'token' ? say.useToken : say.usePair}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
