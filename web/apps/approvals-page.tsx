import { Button, Group, List, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { BadgeCheck } from 'lucide-react'
import { type App, listApps, readApp, setAppStatus } from '../api/operations.ts'
import { query, useWrite } from '../api/query.ts'
import { Card } from '../parts/card.tsx'
import { Copied } from '../parts/copied.tsx'
import { notify } from '../parts/notify.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Empty, Loaded, Problem } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { words } from '../words/words.ts'

/** What developers register meanwhile appears by itself. */
const REFRESH_MS = 15_000

const { approvals: say } = words

export function ApprovalsPage() {
  const waiting = useQuery({ ...query(listApps, { status: 'pending', limit: 100 }), refetchInterval: REFRESH_MS })
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded of={waiting}>
        {({ docs }) =>
          docs.length === 0 ? (
            <Card>
              <Empty icon={BadgeCheck} title={say.empty}>
                {say.emptyText}
              </Empty>
            </Card>
          ) : (
            <Stack gap="md">
              {docs.map((app) => (
                <WaitingApp key={app.clientId} app={app} />
              ))}
            </Stack>
          )
        }
      </Loaded>
    </>
  )
}

function WaitingApp({ app }: { readonly app: App }) {
  const decide = useWrite(setAppStatus, { changes: [listApps, readApp] })
  const approve = () =>
    decide.mutate({ clientId: app.clientId, status: 'approved' }, { onSuccess: () => notify(say.approved(app.name)) })
  return (
    <Card>
      <Stack gap="sm">
        {decide.error && <Problem error={decide.error} />}
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <div>
            <Title order={2}>{app.name}</Title>
            <Text size="sm" c="dimmed">
              {say.by(app.owner ?? words.time.none, app.organisationName ?? words.time.none)} ·{' '}
              <Time at={app.createdDate} />
            </Text>
          </div>
          <Button onClick={approve} loading={decide.isPending} flex="none">
            <span aria-hidden>{say.approve}</span>
            <VisuallyHidden>{say.approveOf(app.name)}</VisuallyHidden>
          </Button>
        </Group>
        <Copied value={app.clientId} what={words.apps.clientId} />
        {app.redirectUris.length > 0 && (
          <div>
            <Text size="sm" c="dimmed">
              {say.leadsTo}
            </Text>
            <List size="sm">
              {app.redirectUris.map((uri) => (
                <List.Item key={uri}>{uri}</List.Item>
              ))}
            </List>
          </div>
        )}
      </Stack>
    </Card>
  )
}
