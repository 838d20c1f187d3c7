import { Anchor, Button, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Code2, Plus } from 'lucide-react'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { AppStatusBadge } from './status-badge.tsx'

const route = getRouteApi('/signed-in/console/apps')
const { apps: say } = consoleWords

const AddButton = () => (
  <Button component={Link} to="/console/apps/new" leftSection={<Plus size={16} aria-hidden />}>
    {say.add}
  </Button>
)

export function AppListPage() {
  const list = useQuery(route.useLoaderData().apps)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} action={<AddButton />} />
      <Loaded query={list}>
        {({ docs }) =>
          docs.length === 0 ? (
            <Card>
              <Empty icon={Code2} title={say.empty} action={<AddButton />}>
                {say.emptyText}
              </Empty>
            </Card>
          ) : (
            <Card isFlush>
              <Table.ScrollContainer minWidth={640} type="native" tabIndex={0} role="region" aria-label={say.title}>
                <Table highlightOnHover horizontalSpacing="lg">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{say.name}</Table.Th>
                      <Table.Th>{words.app.clientId}</Table.Th>
                      <Table.Th>{say.status}</Table.Th>
                      <Table.Th>{say.users}</Table.Th>
                      <Table.Th>{say.created}</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {docs.map((app) => (
                      <Table.Tr key={app.clientId}>
                        <Table.Td>
                          <Anchor
                            component={Link}
                            to="/console/apps/$clientId"
                            params={{ clientId: app.clientId } as never}
                            fw={600}
                          >
                            {app.name}
                          </Anchor>
                          <Text size="xs" c="dimmed">
                            {app.organisationName ?? app.owner}
                          </Text>
                        </Table.Td>
                        <Table.Td>
                          <Copied value={app.clientId} what={words.app.clientId} />
                        </Table.Td>
                        <Table.Td>
                          <AppStatusBadge status={app.status} />
                        </Table.Td>
                        <Table.Td>{app.users}</Table.Td>
                        <Table.Td>
                          <Time at={app.createdDate} />
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            </Card>
          )
        }
      </Loaded>
    </>
  )
}
