import { Badge, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ClipboardList } from '../parts/icons.tsx'
import { ButtonLink, TextLink } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagedList } from '../parts/paged-list.tsx'
import { Row, Rows } from '../parts/rows.tsx'
import { only } from '../parts/search.ts'
import { useSort } from '../parts/sorted.ts'
import { Empty } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { nameOf } from './names.ts'
import { plannerWords } from './words.ts'

const { plans: say } = plannerWords
const route = getRouteApi('/signed-in/planner/plans')

export function PlansPage() {
  const { page = 1, sort: sortBy } = route.useSearch()
  const sort = useSort('-changed')
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().plans)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} action={<ButtonLink to="/planner">{say.first}</ButtonLink>} />
      <PagedList
        query={list}
        page={page}
        onPage={(next) => void navigate({ search: only({ page: next, sort: sortBy }) })}
        empty={
          <Empty icon={ClipboardList} title={say.empty}>
            {say.emptyText}
          </Empty>
        }
      >
        {(docs) => (
          <Rows
            label={say.title}
            head={[
              { title: say.name, sort: 'name' },
              say.mission,
              say.owner,
              say.people,
              { title: say.changed, sort: 'changed' },
            ]}
            sort={sort}
          >
            {docs.map(({ planId, name, text, own, owner, people, changedDate }) => (
              <Row
                key={planId}
                cells={[
                  <TextLink key="name" to="/planner/plans/$planId" params={{ planId }} fw={600}>
                    {name}
                  </TextLink>,
                  <Text key="text" size="sm" lineClamp={2}>
                    {text}
                  </Text>,
                  own ? (
                    say.own
                  ) : (
                    <Badge key="owner" variant="light">
                      {nameOf(owner)}
                    </Badge>
                  ),
                  say.count(people),
                  <Time key="changed" at={changedDate} />,
                ]}
              />
            ))}
          </Rows>
        )}
      </PagedList>
    </>
  )
}
