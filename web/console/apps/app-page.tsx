import { Anchor, Button, List, Progress, Text } from '@mantine/core'
import { useHere } from '../../api/here.ts'
import type { App } from '../../api/operations.ts'
import { appWords } from '../../parts/app-words.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { TextLink } from '../../parts/link.tsx'
import { sayBytes, Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { useApp } from './app-frame.tsx'
import { AppStatusCard } from './status-card.tsx'

const { app: say } = consoleWords

export function AppPage() {
  const app = useApp()
  return (
    <>
      <OverviewCard app={app} />
      {app.may.decide && <AppStatusCard app={app} />}
      <NextCard app={app} />
      <PromoteCard app={app} />
    </>
  )
}

const KINDS: Readonly<Record<App['tokenEndpointAuthMethod'], string>> = {
  none: say.publicKind,
  client_secret: say.confidentialKind,
  private_key_jwt: say.keyedKind,
}

const OverviewCard = ({ app }: { readonly app: App }) => (
  <Card title={say.overview}>
    <Facts>
      <Fact name={appWords.clientId}>
        <Copied value={app.clientId} what={appWords.clientId} />
      </Fact>
      <Fact name={say.kind}>{KINDS[app.tokenEndpointAuthMethod]}</Fact>
      <Fact name={consoleWords.apps.organisation}>
        {app.organisation === null ? (
          words.time.none
        ) : (
          <TextLink to="/console/organisations/$organisation" params={{ organisation: app.organisation }}>
            {app.organisationName ?? app.organisation}
          </TextLink>
        )}
      </Fact>
      <Fact name={say.owner}>{app.owner ?? words.time.none}</Fact>
      {app.launchUri !== null && (
        <Fact name={say.launch}>
          <Copied value={app.launchUri} what={say.launch} />
        </Fact>
      )}
      <Fact name={consoleWords.apps.users}>{consoleWords.apps.usersCount(app.users)}</Fact>
      <Fact name={consoleWords.app.storage}>
        <Text size="sm">{consoleWords.app.storageOf(sayBytes(app.storageUsed), sayBytes(app.storageLimit))}</Text>
        <Progress
          value={(100 * app.storageUsed) / app.storageLimit}
          size="sm"
          mt={4}
          maw={320}
          aria-label={consoleWords.app.storage}
        />
      </Fact>
      <Fact name={consoleWords.app.records}>
        <Text size="sm">{sayBytes(app.recordsUsed)}</Text>
      </Fact>
      <Fact name={consoleWords.apps.created}>
        <Time at={app.createdDate} />
      </Fact>
    </Facts>
  </Card>
)

function NextCard({ app: { clientId, redirectUris } }: { readonly app: App }) {
  const { environment, sandbox } = useHere()
  return (
    <Card title={say.next}>
      <List spacing="xs">
        {redirectUris.length === 0 && (
          <List.Item>
            <TextLink to="/console/apps/$clientId/settings" params={{ clientId }}>
              {say.nextRedirect}
            </TextLink>
          </List.Item>
        )}
        <List.Item>
          <TextLink to="/console/apps/$clientId/snippets" params={{ clientId }}>
            {say.nextSnippets}
          </TextLink>
        </List.Item>
        {environment === 'production' && (
          <List.Item>
            <Anchor href={`${sandbox}/console/apps`}>{say.nextSandbox}</Anchor>
          </List.Item>
        )}
        <List.Item>
          <Anchor href="/docs/reference">{say.nextReference}</Anchor>
        </List.Item>
      </List>
    </Card>
  )
}

/** The sign-in continues at paths of at most 4000 characters. */
const MAX_LINK_LENGTH = 3900

/**
 * Links to the form that registers the app in production. The environments share nothing, so the values are passed in
 * the URL, and the form validates them as if they had been typed.
 */
function PromoteCard({ app }: { readonly app: App }) {
  const { environment, production } = useHere()
  if (environment !== 'sandbox') return null
  const filled = new URLSearchParams({
    ...(app.organisation !== null && { organisation: app.organisation }),
    name: app.name,
    redirects: JSON.stringify(app.redirectUris),
    ...(app.scopes.length > 0 && { scopes: JSON.stringify(app.scopes) }),
    ...(app.launchUri !== null && { launch: app.launchUri }),
    ...(app.public && { public: 'true' }),
    ...(app.postLogoutRedirectUris.length > 0 && { postLogout: JSON.stringify(app.postLogoutRedirectUris) }),
    // A receiver on this machine works in the sandbox alone.
    ...(app.backchannelLogoutUri?.startsWith('https:') && { receiver: app.backchannelLogoutUri }),
    ...(app.backchannelLogoutSessionRequired && { sid: 'true' }),
    ...(app.idTokenAlgorithm !== 'RS256' && { algorithm: app.idTokenAlgorithm }),
  })
  const keys = new URLSearchParams({
    ...(app.publicKeys.length > 0 && { keys: JSON.stringify(app.publicKeys) }),
    // Without its keys, an app cannot be created with this method.
    ...(app.tokenEndpointAuthMethod === 'private_key_jwt' && { method: 'private_key_jwt' }),
  })
  const fits = `${filled}&${keys}`.length <= MAX_LINK_LENGTH
  const link = `${production}/console/apps/new?${filled}${keys.size > 0 && fits ? `&${keys}` : ''}`
  return (
    <Card title={say.promoteTitle}>
      <Text mb="md">{say.promoteText}</Text>
      {!fits && <Text mb="md">{say.promoteKeys}</Text>}
      <Button component="a" href={link}>
        {say.promote}
      </Button>
    </Card>
  )
}
