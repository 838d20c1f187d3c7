import { Anchor, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type AccountApp, type AppSession, endSession, listOwnApps, withdrawConsent } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { SCOPE_WORDS } from '../../parts/consent.ts'
import { AppWindow } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { notify } from '../../parts/notify.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { accountWords } from '../words.ts'
import { nameDevice } from './device-name.ts'

const { security: say } = accountWords

/** Lists the apps that the person has allowed, with the devices on which the person is signed in to them. */
export function AppsCard() {
  const list = useQuery(query(listOwnApps, {}))
  return (
    <Card title={say.apps} isFlush>
      <Loaded query={list}>
        {(apps) =>
          apps.length === 0 ? (
            <Empty icon={AppWindow} title={say.noApps}>
              {say.noAppsText}
            </Empty>
          ) : (
            <>
              <Text size="sm" c="dimmed" px={20} pb="sm" pt={4}>
                {say.appsText}
              </Text>
              <Items label={say.apps}>
                {apps.map((app) => (
                  <AppItem key={app.clientId} app={app} />
                ))}
              </Items>
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

function AppItem({ app }: { readonly app: AccountApp }) {
  const { clientId, name, owner, sinceDate, allowedDate, sessions } = app
  const [isAsking, setAsking] = useState(false)
  const withdraw = useWrite(withdrawConsent, {
    changes: [listOwnApps],
    onDone: () => notify(say.withdrawn(name)),
  })
  return (
    <Item
      lead={<AppWindow size={20} aria-hidden />}
      title={<bdi>{name}</bdi>}
      sub={
        <>
          {owner !== null && <>{say.appBy(owner)} </>}
          {allowedDate === null ? (
            <>
              {say.enrolled} <Time at={sinceDate} />. {say.notAsked}
            </>
          ) : (
            <>
              {say.allowed} <Time at={allowedDate} />
            </>
          )}
        </>
      }
      action={
        <Button variant="light" color="red" size="xs" aria-label={say.withdrawOf(name)} onClick={() => setAsking(true)}>
          {say.withdraw}
        </Button>
      }
      below={
        <>
          {allowedDate !== null && <Access app={app} />}
          {sessions.length === 0 ? (
            <Text size="sm" c="dimmed" pl={32}>
              {say.noSessions}
            </Text>
          ) : (
            sessions.map((session) => <SessionLine key={session.sessionId} app={name} session={session} />)
          )}
          <Confirm
            isOpen={isAsking}
            title={say.withdrawTitle(name)}
            go={say.withdraw}
            isPending={withdraw.isPending}
            error={withdraw.error}
            onGo={() => withdraw.mutate({ clientId })}
            onClose={() => setAsking(false)}
          >
            {say.withdrawText}
          </Confirm>
        </>
      }
    />
  )
}

/** Shows what the app may do, with a link to the page on which the person changes it. */
function Access({ app: { name, scopes } }: { readonly app: AccountApp }) {
  return (
    <Text size="sm" c="dimmed" pl={32} pb={6} component="div">
      {scopes.length === 0 ? say.canNothing : `${say.can} ${scopes.map((scope) => SCOPE_WORDS[scope]).join('; ')}.`}{' '}
      {scopes.length > 0 && (
        <Anchor href="/account/apps" underline="always" aria-label={say.changeScopesOf(name)}>
          {say.changeScopes}
        </Anchor>
      )}
    </Text>
  )
}

function SessionLine({ app, session }: { readonly app: string; readonly session: AppSession }) {
  const device = nameDevice(session.device)
  const end = useWrite(endSession, { changes: [listOwnApps], onDone: () => notify(say.sessionEnded) })
  return (
    <>
      <Group justify="space-between" py={6} pl={32} gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }} component="div">
          {device}
          <Text size="xs" c="dimmed">
            {say.signedIn} <Time at={session.createdDate} />, {say.lastUsed} <Time at={session.lastUsedDate} />
          </Text>
        </Text>
        <Button
          variant="default"
          size="xs"
          loading={end.isPending}
          aria-label={say.endSessionOf(app, device)}
          onClick={() => end.mutate({ sessionId: session.sessionId })}
        >
          {say.endSession}
        </Button>
      </Group>
      {end.error && <Problem title={say.signOutFailed} error={end.error} />}
    </>
  )
}
