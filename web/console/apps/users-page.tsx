import { Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Users } from '../../parts/icons.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'

const route = getRouteApi('/signed-in/console/apps/$clientId/users')
const { appUsers: say } = consoleWords

export function AppUsersPage() {
  const { page = 1, sort: sortBy } = route.useSearch()
  const sort = useSort('-since')
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().users)
  return (
    <>
      <Text size="sm" c="dimmed">
        {say.text}
      </Text>
      <Loaded query={list}>
        {({ docs, pages, total }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={Users} title={say.empty}>
                {say.emptyText}
              </Empty>
            ) : (
              <Rows
                label={say.title}
                head={[say.user, say.kind, { title: say.since, sort: 'since' }, say.seen]}
                sort={sort}
                minWidth={600}
              >
                {docs.map(({ userId, anonymous, sinceDate, lastSeenDate }) => (
                  <Row
                    key={userId}
                    cells={[
                      <Copied key="user" value={userId} what={say.user} />,
                      <Badge key="kind" color="gray">
                        {anonymous ? say.anonymous : say.person}
                      </Badge>,
                      <Time key="since" at={sinceDate} />,
                      <Time key="seen" at={lastSeenDate} />,
                    ]}
                  />
                ))}
              </Rows>
            )}
            <Pager
              page={page}
              pages={pages}
              total={total}
              onChange={(next) => void navigate({ search: only({ page: next > 1 ? next : undefined, sort: sortBy }) })}
            />
          </Card>
        )}
      </Loaded>
    </>
  )
}
