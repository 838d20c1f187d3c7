import { Alert, Anchor, Button, Group, List, Progress, Stack, Table, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { Ban, Clock } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type App, addAppSecret, changeApp, dropOldAppSecret, listApps, readApp } from '../api/operations.ts'
import { query, useWrite } from '../api/query.ts'
import { Card } from '../parts/card.tsx'
import { Copied } from '../parts/copied.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Loaded, Problem } from '../parts/states.tsx'
import { sayBytes, Time } from '../parts/time.tsx'
import { words } from '../words/words.ts'
import { SecretShown } from './secret-shown.tsx'
import { AppStatusBadge } from './status-badge.tsx'

const { app: say } = words
const CHANGED = [readApp, listApps]

export function AppPage() {
  const { clientId } = useParams({ from: '/signed-in/console/apps/$clientId' })
  const found = useQuery(query(readApp, { clientId }))
  return (
    <Loaded of={found}>
      {(app) => (
        <>
          <PageHead
            title={app.name}
            lead={app.organisationName ?? app.owner ?? undefined}
            action={<AppStatusBadge status={app.status} />}
            above={
              <Anchor component={Link} to="/console/apps" size="sm">
                {words.apps.title}
              </Anchor>
            }
          />
          <Stack gap="lg">
            {app.status === 'pending' && (
              <Alert color="yellow" icon={<Clock size={18} aria-hidden />} title={say.pendingTitle}>
                {say.pendingText}
              </Alert>
            )}
            {app.status === 'suspended' && (
              <Alert color="red" icon={<Ban size={18} aria-hidden />} title={say.suspendedTitle}>
                {say.suspendedText}
              </Alert>
            )}
            <OverviewCard app={app} />
            <RedirectsCard app={app} />
            <SecretsCard app={app} />
            {app.redirectUris.length > 0 && <TryCard app={app} />}
          </Stack>
        </>
      )}
    </Loaded>
  )
}

const OverviewCard = ({ app }: { readonly app: App }) => (
  <Card title={say.overview}>
    <Facts>
      <Fact name={words.apps.clientId}>
        <Copied value={app.clientId} what={words.apps.clientId} />
      </Fact>
      <Fact name={words.apps.users}>{words.apps.usersCount(app.users)}</Fact>
      <Fact name={say.storage}>
        <Text size="sm">{say.storageOf(sayBytes(app.storageUsed), sayBytes(app.storageLimit))}</Text>
        <Progress
          value={(100 * app.storageUsed) / app.storageLimit}
          size="sm"
          mt={4}
          maw={320}
          aria-label={say.storage}
        />
      </Fact>
      <Fact name={words.apps.created}>
        <Time at={app.createdDate} />
      </Fact>
    </Facts>
  </Card>
)

function RedirectsCard({ app }: { readonly app: App }) {
  const [text, setText] = useState<string>()
  const save = useWrite(changeApp, { changes: CHANGED })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const redirectUris = (text ?? '').split(/\s+/).filter((line) => line !== '')
    save.mutate(
      { clientId: app.clientId, redirectUris },
      {
        onSuccess: () => {
          setText(undefined)
          notifications.show({ message: say.saved })
        },
      },
    )
  }
  const begin = () => {
    save.reset()
    setText(app.redirectUris.join('\n'))
  }
  return (
    <Card
      title={say.redirects}
      action={
        text === undefined && (
          <Button variant="default" size="xs" onClick={begin}>
            {say.change}
          </Button>
        )
      }
    >
      {text !== undefined ? (
        <form onSubmit={submit}>
          <Stack>
            {save.error && <Problem error={save.error} />}
            <Textarea
              label={say.redirects}
              description={words.newApp.redirectsHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              autosize
              minRows={3}
              spellCheck={false}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Group>
              <Button type="submit" loading={save.isPending}>
                {say.save}
              </Button>
              <Button variant="default" onClick={() => setText(undefined)}>
                {say.cancel}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : app.redirectUris.length === 0 ? (
        <Text c="dimmed" size="sm">
          {say.noRedirects}
        </Text>
      ) : (
        <List listStyleType="none" spacing={6}>
          {app.redirectUris.map((uri) => (
            <List.Item key={uri}>
              <Copied value={uri} what={uri} />
            </List.Item>
          ))}
        </List>
      )}
    </Card>
  )
}

function SecretsCard({ app }: { readonly app: App }) {
  const [secret, setSecret] = useState<string>()
  const [isDropping, setDropping] = useState(false)
  const add = useWrite(addAppSecret, { changes: CHANGED, onDone: ({ clientSecret }) => setSecret(clientSecret) })
  const drop = useWrite(dropOldAppSecret, {
    changes: CHANGED,
    onDone: () => {
      setDropping(false)
      notifications.show({ message: say.dropped })
    },
  })
  if (app.public)
    return (
      <Card title={say.secrets}>
        <Text c="dimmed" size="sm">
          {say.noSecrets}
        </Text>
      </Card>
    )
  const what = { clientId: app.clientId }
  return (
    <Card
      title={say.secrets}
      action={
        app.secrets.length > 1 ? (
          <Button variant="default" size="xs" onClick={() => setDropping(true)}>
            {say.dropOld}
          </Button>
        ) : (
          <Button variant="default" size="xs" loading={add.isPending} onClick={() => add.mutate(what)}>
            {say.addSecret}
          </Button>
        )
      }
    >
      <Stack gap="sm">
        {(add.error ?? drop.error) && <Problem error={(add.error ?? drop.error)!} />}
        <Text size="sm" c="dimmed">
          {say.secretsText}
        </Text>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{words.secret.label}</Table.Th>
              <Table.Th>{say.secretMade}</Table.Th>
              <Table.Th>{say.secretUsed}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {app.secrets.map(({ createdDate, lastUsedDate }, i) => (
              <Table.Tr key={createdDate}>
                <Table.Td>{say.secretNumber(i + 1)}</Table.Td>
                <Table.Td>
                  <Time at={createdDate} />
                </Table.Td>
                <Table.Td>
                  <Time at={lastUsedDate} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Stack>
      <SecretShown secret={secret} onKept={() => setSecret(undefined)} />
      <Dialog isOpen={isDropping} onClose={() => setDropping(false)} title={say.dropTitle}>
        <Stack>
          <Text size="sm">{say.dropText}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setDropping(false)}>
              {say.cancel}
            </Button>
            <Button color="red" loading={drop.isPending} onClick={() => drop.mutate(what)}>
              {say.dropOld}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </Card>
  )
}

/** The pair of RFC 7636, appendix B: for a first try. An app makes its own for each sign-in. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

const TryCard = ({ app }: { readonly app: App }) => {
  const redirect = app.redirectUris.find((uri) => uri.startsWith('http')) ?? app.redirectUris[0]!
  const fields = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: redirect,
    state: 'xyz',
    code_challenge: CHALLENGE,
    code_challenge_method: 'S256',
  }
  const sent = {
    grant_type: 'authorization_code',
    code: 'CODE',
    redirect_uri: redirect,
    client_id: app.clientId,
    ...(app.public ? {} : { client_secret: 'SECRET' }),
    code_verifier: VERIFIER,
  }
  const lines = Object.entries(sent).map(([name, value]) => ` --data-urlencode '${name}=${value}'`)
  return (
    <Card title={say.tryIt}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {say.tryText}
        </Text>
        <Copied value={`${location.origin}/oauth/v2/signin?${new URLSearchParams(fields)}`} what={say.address} />
        <Text size="sm" c="dimmed">
          {say.exchangeText}
        </Text>
        <Copied value={`curl ${location.origin}/oauth/v2/token${lines.join('')}`} what={say.exchange} />
      </Stack>
    </Card>
  )
}
