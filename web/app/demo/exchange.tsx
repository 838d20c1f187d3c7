import { Alert, Button, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useHere } from '../../api/here.ts'
import { type OwnProfile, readOwnProfile, requestTokens, type Tokens } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { CircleCheck } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/states.tsx'
import { appWords } from '../words.ts'
import { useSent } from './sent.ts'
import { SentList } from './sent-list.tsx'

const { demo: say } = appWords

interface ExchangeProps {
  readonly app: { readonly clientId: string; readonly clientSecret: string }
  readonly code: string
  readonly state: string | undefined
}

/** Shows the second half of a sign-in step by step: the exchange of the code for tokens, and a first call with them. */
export function Exchange({ app, code, state }: ExchangeProps) {
  const { sent, send } = useSent()
  // The demo app has only one redirect URI, which is in production.
  const { production } = useHere()
  const [got, setGot] = useState<{ tokens: Tokens; profile: OwnProfile }>()
  const [problem, setProblem] = useState<Error>()
  const exchange = async () => {
    setProblem(undefined)
    try {
      const fields = {
        grant_type: 'authorization_code',
        code,
        client_id: app.clientId,
        client_secret: app.clientSecret,
        redirect_uri: `${production}/demo/callback`,
      }
      const tokens = await send(requestTokens, fields, {})
      setGot({ tokens, profile: await send(readOwnProfile, {}, { token: tokens.access_token }) })
    } catch (error) {
      setProblem(error as Error)
    }
  }
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Stack gap="lg">
        <Card>
          <Stack>
            <Facts>
              <Fact name={say.code}>
                <Copied value={code} what={say.code} />
              </Fact>
              <Fact name={say.state}>
                {state === undefined ? say.noState : <Copied value={state} what={say.state} />}
              </Fact>
            </Facts>
            {got ? (
              <Alert color="green" icon={<CircleCheck size={18} aria-hidden />} title={say.exchanged}>
                {say.me}: {got.profile.firstName} {got.profile.lastName} ({got.profile.handle})
              </Alert>
            ) : (
              <>
                <Text size="sm" c="dimmed">
                  {say.exchangeText}
                </Text>
                {problem && <Problem title={say.exchangeFailed} error={problem} />}
                <Button onClick={exchange} style={{ alignSelf: 'flex-start' }}>
                  {say.exchange}
                </Button>
              </>
            )}
          </Stack>
        </Card>
        <SentList sent={sent} />
      </Stack>
    </>
  )
}
