import { SegmentedControl, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import type { App } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Code } from '../../parts/code.tsx'
import { Link2 } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { Empty } from '../../parts/states.tsx'
import { consoleWords } from '../words.ts'
import { useApp } from './app-frame.tsx'
import { LANGUAGES, type Language, snippetsOf } from './snippets.ts'

const route = getRouteApi('/signed-in/console/apps/$clientId/snippets')
const { app: say } = consoleWords

const LEADS: Readonly<Record<App['tokenEndpointAuthMethod'], string>> = {
  none: say.snippetsPublicLead,
  client_secret: say.snippetsLead,
  private_key_jwt: say.snippetsKeyedLead,
}

export function AppSnippetsPage() {
  const app = useApp()
  const { language = 'curl' } = route.useSearch()
  const navigate = route.useNavigate()
  const redirectUri = app.redirectUris.find((uri) => uri.startsWith('http')) ?? app.redirectUris[0]
  if (redirectUri === undefined)
    return (
      <Card>
        <Empty
          icon={Link2}
          title={say.noRedirect}
          action={
            <ButtonLink to="/console/apps/$clientId/settings" params={{ clientId: app.clientId }}>
              {say.nextRedirect}
            </ButtonLink>
          }
        />
      </Card>
    )
  const facts = { origin: location.origin, clientId: app.clientId, redirectUri, isPublic: app.public }
  const { signIn, exchange, call } = snippetsOf[language](facts)
  const steps = [
    { title: say.step1, text: say.step1Text, code: signIn },
    { title: say.step2, text: say.step2Text, code: exchange },
    { title: say.step3, text: say.step3Text, code: call },
  ]
  return (
    <>
      <Text>{LEADS[app.tokenEndpointAuthMethod]}</Text>
      <SegmentedControl
        aria-label={say.language}
        maw={360}
        // When the window becomes narrower, Mantine moves the indicator only after a delay. Hide the part that sticks
        // out until then.
        style={{ overflow: 'hidden' }}
        value={language}
        data={LANGUAGES.map((value) => ({ value, label: say.languages[value] }))}
        onChange={(next) => void navigate({ search: { language: next as Language }, replace: true })}
      />
      {steps.map(({ title, text, code }) => (
        <Card key={title} title={title}>
          <Stack gap="sm">
            <Text size="sm" c="dimmed">
              {text}
            </Text>
            <Code value={code} what={say.copyCode(say.languages[language])} />
          </Stack>
        </Card>
      ))}
    </>
  )
}
