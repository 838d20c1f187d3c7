import { Box, Button, Group, List, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type App, listApps, listChangedApps, readApp, setAppStatus } from '../../api/operations.ts'
import { useBulkWrite } from '../../api/query.ts'
import { SuspendDialog, useAppStatus } from '../../parts/app-status.tsx'
import { appWords } from '../../parts/app-words.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { BadgeCheck } from '../../parts/icons.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { BulkFailures, type Selection, SelectionBar, useSelection } from '../../parts/selection.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { adminWords } from '../words.ts'
import { ChangedApps } from './changed-apps.tsx'

const route = getRouteApi('/signed-in/admin/approvals')
/** Polling interval in milliseconds, so that new registrations appear without a reload. */
const REFRESH_MS = 15_000

const { approvals: say } = adminWords

export function ApprovalsPage() {
  const waiting = useQuery({ ...route.useLoaderData().waiting, refetchInterval: REFRESH_MS })
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded query={waiting}>
        {({ docs }) =>
          docs.length === 0 ? (
            <Card>
              <Empty icon={BadgeCheck} title={say.empty}>
                {say.emptyText}
              </Empty>
            </Card>
          ) : (
            <WaitingApps apps={docs} />
          )
        }
      </Loaded>
      <ChangedApps />
    </>
  )
}

/** Lists waiting apps. Several can be approved at once; each refusal needs a reason of its own. */
function WaitingApps({ apps }: { readonly apps: readonly App[] }) {
  const selection = useSelection(apps.map(({ clientId }) => clientId))
  const chosen = apps.filter(({ clientId }) => selection.has(clientId))
  const approve = useBulkWrite(setAppStatus, {
    changes: [listApps, listChangedApps, readApp],
    onDone: ({ done }) => {
      if (done > 0) notify(say.approvedAll(done))
    },
  })
  return (
    <Stack gap="md">
      {apps.length > 1 && (
        <Card isFlush>
          <Group gap={0} wrap="nowrap" pl="lg">
            {selection.headBox}
            <SelectionBar selection={selection}>
              <Button
                size="compact-sm"
                loading={approve.isPending}
                onClick={() =>
                  approve.mutate(
                    chosen.map(({ clientId, name }) => ({ name, input: { clientId, status: 'approved' } })),
                  )
                }
              >
                {say.approveAll(chosen.length)}
              </Button>
            </SelectionBar>
          </Group>
        </Card>
      )}
      <BulkFailures result={approve.data} />
      {apps.map((app) => (
        <WaitingApp key={app.clientId} app={app} {...(apps.length > 1 && { selection })} />
      ))}
    </Stack>
  )
}

interface WaitingAppProps {
  readonly app: App
  /** The selection, if there are several apps. */
  readonly selection?: Selection
}

function WaitingApp({ app, selection }: WaitingAppProps) {
  const [isAsked, setAsked] = useState(false)
  const decide = useAppStatus(app)
  return (
    <Card>
      <Stack gap="sm">
        {decide.error && !isAsked && <Problem title={say.failed} error={decide.error} />}
        <Group justify="space-between" align="flex-start">
          {selection && <Box pt={4}>{selection.boxOf({ id: app.clientId, name: app.name })}</Box>}
          <Box flex="1 1 240px" miw={0}>
            <Title order={2}>{app.name}</Title>
            <Text size="sm" c="dimmed">
              {say.by(app.owner ?? words.time.none, app.organisationName ?? words.time.none)} ·{' '}
              <Time at={app.createdDate} />
            </Text>
          </Box>
          <Group gap="xs">
            <Button variant="default" onClick={() => setAsked(true)}>
              <span aria-hidden>{say.refuse}</span>
              <VisuallyHidden>{say.refuseOf(app.name)}</VisuallyHidden>
            </Button>
            <Button onClick={decide.approve} loading={decide.isPending}>
              <span aria-hidden>{appWords.approve}</span>
              <VisuallyHidden>{say.approveOf(app.name)}</VisuallyHidden>
            </Button>
          </Group>
        </Group>
        <Copied value={app.clientId} what={appWords.clientId} />
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
      <SuspendDialog
        app={app}
        decide={decide}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
        title={say.refuseTitle(app.name)}
        go={say.refuse}
        text={say.refuseText}
      />
    </Card>
  )
}
