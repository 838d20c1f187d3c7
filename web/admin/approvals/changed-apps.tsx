import { Box, Button, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type ChangedApp, listChangedApps, markAppLookedAt } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { SuspendDialog, useAppStatus } from '../../parts/app-status.tsx'
import { Card } from '../../parts/card.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { adminWords } from '../words.ts'
import classes from './changed-apps.module.css'

const route = getRouteApi('/signed-in/admin/approvals')
const { changedApps: say } = adminWords
const REFRESH_MS = 15_000

/** Lists approved apps that their developers have changed since the last review. Renders nothing if there are none. */
export function ChangedApps() {
  const changed = useQuery({ ...route.useLoaderData().changed, refetchInterval: REFRESH_MS })
  return (
    <Loaded query={changed}>
      {({ docs }) =>
        docs.length > 0 && (
          <Stack component="section" gap="md" mt="xl" aria-labelledby="changed-apps">
            <div>
              <Title order={2} id="changed-apps">
                {say.title}
              </Title>
              <Text c="dimmed">{say.lead}</Text>
            </div>
            {docs.map((app) => (
              <ChangedAppCard key={app.clientId} app={app} />
            ))}
          </Stack>
        )
      }
    </Loaded>
  )
}

function ChangedAppCard({ app }: { readonly app: ChangedApp }) {
  const { clientId, name, owner, organisationName, changedDate, changes } = app
  const [isAsked, setAsked] = useState(false)
  const decide = useAppStatus(app)
  const look = useWrite(markAppLookedAt, { changes: [listChangedApps], onDone: () => notify(say.looked(name)) })
  return (
    <Card>
      <Stack gap="sm">
        {look.error && <Problem title={say.failed} error={look.error} />}
        <Group justify="space-between" align="flex-start">
          <Box flex="1 1 240px" miw={0}>
            <Title order={3}>
              <TextLink to="/console/apps/$clientId" params={{ clientId }} inherit>
                {name}
              </TextLink>
            </Title>
            <Text size="sm" c="dimmed">
              {adminWords.approvals.by(owner ?? words.time.none, organisationName ?? words.time.none)} · {say.changed}{' '}
              <Time at={changedDate} />
            </Text>
          </Box>
          <Group gap="xs">
            <Button variant="default" onClick={() => setAsked(true)}>
              <span aria-hidden>{say.suspend}</span>
              <VisuallyHidden>{say.suspendOf(name)}</VisuallyHidden>
            </Button>
            <Button onClick={() => look.mutate({ clientId, changedDate })} loading={look.isPending}>
              <span aria-hidden>{say.lookedAt}</span>
              <VisuallyHidden>{say.lookedAtOf(name)}</VisuallyHidden>
            </Button>
          </Group>
        </Group>
        {changes.length === 0 && <Text size="sm">{say.forgotten}</Text>}
        {changes.map((change) => (
          <Change key={`${change.date} ${change.field}`} change={change} />
        ))}
      </Stack>
      <SuspendDialog app={app} decide={decide} isOpen={isAsked} onClose={() => setAsked(false)} />
    </Card>
  )
}

function Change({ change: { field, by, date, before, after } }: { readonly change: ChangedApp['changes'][number] }) {
  const gone = before.filter((value) => !after.includes(value))
  const added = after.filter((value) => !before.includes(value))
  return (
    <div>
      <Text size="sm">
        <Text span fw={600} inherit>
          {say.fields[field]}
        </Text>{' '}
        <Text span c="dimmed" inherit>
          {by ?? say.nobody}, <Time at={date} />
        </Text>
      </Text>
      <ul className={classes.values}>
        {gone.map((value) => (
          <li key={value} className={classes.gone}>
            <span aria-hidden>− </span>
            <VisuallyHidden>{say.before} </VisuallyHidden>
            <bdi>{value}</bdi>
          </li>
        ))}
        {added.map((value) => (
          <li key={value}>
            <span aria-hidden>+ </span>
            <VisuallyHidden>{say.after} </VisuallyHidden>
            <bdi>{value}</bdi>
          </li>
        ))}
      </ul>
    </div>
  )
}
