import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Browser, endBrowser, endEverythingElse, listOwnApps, listOwnBrowsers } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { MonitorSmartphone } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { notify } from '../../parts/notify.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { accountWords } from '../words.ts'
import { nameDevice } from './device-name.ts'

const { security: say } = accountWords

/** Lists the browsers that are signed in to the platform, with a button that signs out all but this one. */
export function BrowsersCard() {
  const list = useQuery(query(listOwnBrowsers, {}))
  const [isAsking, setAsking] = useState(false)
  const endAll = useWrite(endEverythingElse, {
    changes: [listOwnBrowsers, listOwnApps],
    onDone: () => {
      setAsking(false)
      notify(say.endedAll)
    },
  })
  return (
    <Card
      title={say.browsers}
      action={
        <Button variant="light" color="red" size="xs" onClick={() => setAsking(true)}>
          {say.endAll}
        </Button>
      }
      isFlush
    >
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {say.browsersText}
      </Text>
      <Loaded query={list} lines={2}>
        {(browsers) => (
          <Items label={say.browsers}>
            {browsers.map((browser) => (
              <BrowserItem key={browser.browserId} browser={browser} />
            ))}
          </Items>
        )}
      </Loaded>
      <Confirm
        isOpen={isAsking}
        title={say.endAllTitle}
        go={say.endAll}
        isPending={endAll.isPending}
        error={endAll.error}
        onGo={() => endAll.mutate({})}
        onClose={() => setAsking(false)}
      >
        {say.endAllText}
      </Confirm>
    </Card>
  )
}

function BrowserItem({ browser }: { readonly browser: Browser }) {
  const { browserId, device, address, createdDate, lastUsedDate, isCurrent } = browser
  const name = nameDevice(device)
  const end = useWrite(endBrowser, { changes: [listOwnBrowsers], onDone: () => notify(say.signedOut(name)) })
  return (
    <Item
      lead={<MonitorSmartphone size={20} aria-hidden />}
      title={
        <Group gap="xs">
          <span>{name}</span>
          {isCurrent && <Badge>{say.thisOne}</Badge>}
        </Group>
      }
      sub={
        <>
          {address !== null && (
            <>
              <bdi style={{ overflowWrap: 'anywhere' }}>{address}</bdi> ·{' '}
            </>
          )}
          {say.lastUsed} <Time at={lastUsedDate} /> · {say.signedInAt} <Time at={createdDate} />
        </>
      }
      action={
        !isCurrent && (
          <Button
            variant="default"
            size="xs"
            loading={end.isPending}
            aria-label={say.signOutOf(name)}
            onClick={() => end.mutate({ browserId })}
          >
            {say.signOut}
          </Button>
        )
      }
      below={end.error && <Problem title={say.signOutFailed} error={end.error} />}
    />
  )
}
