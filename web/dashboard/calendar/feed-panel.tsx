import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { createCalendarFeed, deleteCalendarFeed, readCalendarFeed } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { notify } from '../../parts/notify.tsx'
import { SecretShown } from '../../parts/secret-shown.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { calendarWords } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/calendar')
const { feed: say } = calendarWords

/** Creates, replaces and deletes the secret address that calendar programs read. */
export function FeedPanel() {
  const feed = useQuery(route.useLoaderData().feed)
  const [asked, setAsked] = useState<'replace' | 'delete'>()
  const [url, setUrl] = useState<string>()
  const create = useWrite(createCalendarFeed, {
    changes: [readCalendarFeed],
    onDone: (created) => {
      setAsked(undefined)
      setUrl(created.url)
    },
  })
  const remove = useWrite(deleteCalendarFeed, {
    changes: [readCalendarFeed],
    onDone: () => {
      setAsked(undefined)
      notify(say.deleted)
    },
  })
  return (
    <Card title={say.title}>
      <Stack>
        <Text size="sm">{say.lead}</Text>
        {create.error && asked === undefined && <Problem title={say.createFailed} error={create.error} />}
        <Loaded query={feed} lines={2}>
          {({ created, lastRead }) =>
            created === null ? (
              <Group>
                <Button variant="default" loading={create.isPending} onClick={() => create.mutate({})}>
                  {say.create}
                </Button>
              </Group>
            ) : (
              <>
                <Facts>
                  <Fact name={say.created}>
                    <Time at={created} />
                  </Fact>
                  <Fact name={say.lastRead}>
                    <Time at={lastRead} />
                  </Fact>
                </Facts>
                <Group>
                  <Button variant="default" onClick={() => setAsked('replace')}>
                    {say.replace}
                  </Button>
                  <Button variant="subtle" color="red" onClick={() => setAsked('delete')}>
                    {say.delete}
                  </Button>
                </Group>
              </>
            )
          }
        </Loaded>
        <Confirm
          isOpen={asked === 'replace'}
          title={say.replaceTitle}
          go={say.replace}
          isPending={create.isPending}
          error={create.error}
          onGo={() => create.mutate({})}
          onClose={() => setAsked(undefined)}
        >
          {say.replaceText}
        </Confirm>
        <Confirm
          isOpen={asked === 'delete'}
          title={say.deleteTitle}
          go={say.delete}
          isPending={remove.isPending}
          error={remove.error}
          onGo={() => remove.mutate({})}
          onClose={() => setAsked(undefined)}
        >
          {say.deleteText}
        </Confirm>
        <SecretShown secret={url} label={say.label} text={say.secret} onKept={() => setUrl(undefined)} />
      </Stack>
    </Card>
  )
}
