import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { App } from '../../api/operations.ts'
import { appWords } from '../../parts/app-words.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Code2, Plus } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { sortDocs } from '../../parts/sort-docs.ts'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'
import { AppStatusBadge } from './status-badge.tsx'

const route = getRouteApi('/signed-in/console/apps')
const { apps: say } = consoleWords

const AddButton = () => (
  <Button component={Link} to="/console/apps/new" leftSection={<Plus size={16} aria-hidden />}>
    {say.add}
  </Button>
)

const COLUMNS = {
  name: ({ name }: App) => name,
  status: ({ status }: App) => status,
  users: ({ users }: App) => users,
  created: ({ createdDate }: App) => createdDate,
}

export function AppListPage() {
  const list = useQuery(route.useLoaderData().apps)
  const sort = useSort('')
  return (
    <>
      <PageHead title={say.title} lead={say.lead} action={<AddButton />} />
      <Loaded query={list}>
        {({ docs, pages }) =>
          docs.length === 0 ? (
            <Card>
              <Empty icon={Code2} title={say.empty} action={<AddButton />}>
                {say.emptyText}
              </Empty>
            </Card>
          ) : (
            <Card isFlush>
              <Rows
                label={say.title}
                head={[
                  { title: say.name, sort: 'name' },
                  appWords.clientId,
                  { title: say.status, sort: 'status' },
                  { title: say.users, sort: 'users' },
                  { title: say.created, sort: 'created' },
                ]}
                {...(pages === 1 && { sort })}
                minWidth={640}
              >
                {(pages === 1 ? sortDocs(docs, sort.by, COLUMNS) : docs).map((app) => (
                  <Row
                    key={app.clientId}
                    cells={[
                      <>
                        <TextLink to="/console/apps/$clientId" params={{ clientId: app.clientId }} fw={600}>
                          {app.name}
                        </TextLink>
                        <Text size="xs" c="dimmed">
                          {app.organisationName ?? app.owner}
                        </Text>
                      </>,
                      <Copied key="id" value={app.clientId} what={appWords.clientId} />,
                      <AppStatusBadge key="status" status={app.status} />,
                      app.users,
                      <Time key="created" at={app.createdDate} />,
                    ]}
                  />
                ))}
              </Rows>
            </Card>
          )
        }
      </Loaded>
    </>
  )
}
