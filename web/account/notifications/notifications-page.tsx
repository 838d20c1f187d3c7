import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Bell } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { NotificationItems, ReadAll } from '../../parts/notification-items.tsx'
import { notificationWords } from '../../parts/notification-words.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Turn } from '../../parts/turn.tsx'
import { words } from '../../parts/words.ts'
import { accountWords } from '../words.ts'
import { SettingsCard } from './settings-card.tsx'

const route = getRouteApi('/signed-in/account/notifications')
const { notifications: say } = accountWords
const { turn } = words

/** Shows all notifications of the person, and lets them choose which ones they get, and how. */
export function NotificationsPage() {
  const loaded = route.useLoaderData()
  const { cursor } = route.useSearch()
  const list = useQuery(loaded.notifications)
  const settings = useQuery(loaded.settings)
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        action={
          <Button component="a" href="#settings" variant="default">
            {say.settings}
          </Button>
        }
      />
      <Stack gap="lg">
        <Loaded query={list}>
          {({ docs, next, unread }) => (
            <Card
              title={notificationWords.list}
              isFlush
              action={cursor === undefined && <ReadAll docs={docs} unread={unread} />}
            >
              {docs.length === 0 ? (
                <Empty icon={Bell} title={notificationWords.empty}>
                  {notificationWords.emptyText}
                </Empty>
              ) : (
                <NotificationItems docs={docs} />
              )}
              <Turn
                newest={
                  cursor !== undefined && (
                    <TextLink from="/account/notifications" to="." search={{}}>
                      {turn.newest}
                    </TextLink>
                  )
                }
                older={
                  next !== null && (
                    <TextLink from="/account/notifications" to="." search={{ cursor: next }}>
                      {turn.older}
                    </TextLink>
                  )
                }
              />
            </Card>
          )}
        </Loaded>
        <Loaded query={settings}>{(found) => <SettingsCard settings={found} />}</Loaded>
      </Stack>
    </>
  )
}
