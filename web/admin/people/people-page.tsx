import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { Card } from '../../parts/card.tsx'
import { type FilterField, Filters } from '../../parts/filters.tsx'
import { TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { adminWords } from '../words.ts'
import { PersonStatus, sayRoles } from './person-badges.tsx'

const { people: say } = adminWords
const { form } = words
const route = getRouteApi('/signed-in/admin/people')
const FIELDS: readonly FilterField[] = [
  { name: 'query', label: say.find, placeholder: say.findHelp },
  { name: 'status', label: say.status, choices: say.statuses },
  { name: 'role', label: say.role, choices: say.roles },
]

export function PeoplePage() {
  const { page = 1, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().people)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Filters
        fields={FIELDS}
        values={filters}
        onChange={(values) => void navigate({ search: only(values) as typeof filters })}
      />
      <Loaded query={list} lines={8}>
        {({ docs, pages, total }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={Users} title={form.nothing}>
                {form.nothingText}
              </Empty>
            ) : (
              <>
                <Rows label={say.title} head={[say.name, say.email, say.role, say.status, say.since]} minWidth={720}>
                  {docs.map((person) => (
                    <Row
                      key={person.handle}
                      cells={[
                        <Stack key="name" gap={0}>
                          <TextLink to="/admin/people/$handle" params={{ handle: person.handle }} fw={600}>
                            {person.name || person.handle}
                          </TextLink>
                          <Text size="xs" c="dimmed">
                            {person.handle}
                          </Text>
                        </Stack>,
                        person.email ?? <Text c="dimmed">{say.noEmail}</Text>,
                        sayRoles(person),
                        <PersonStatus key="status" status={person.status} />,
                        <Time key="since" at={person.createdDate} />,
                      ]}
                    />
                  ))}
                </Rows>
                <Pager
                  page={page}
                  pages={pages}
                  total={total}
                  onChange={(next) =>
                    void navigate({ search: { ...filters, ...only({ page: next > 1 ? next : undefined }) } })
                  }
                />
              </>
            )}
          </Card>
        )}
      </Loaded>
    </>
  )
}
