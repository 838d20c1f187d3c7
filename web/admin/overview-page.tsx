import { Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Overview, OverviewProblem } from '../api/operations.ts'
import { Card } from '../parts/card.tsx'
import { CircleAlert, CircleCheck } from '../parts/icons.tsx'
import { Item, Items } from '../parts/items.tsx'
import { TextLink } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Row, Rows } from '../parts/rows.tsx'
import { Loaded } from '../parts/states.tsx'
import { sayBytes, sayDuration } from '../parts/time.tsx'
import { adminWords } from './words.ts'

const route = getRouteApi('/signed-in/admin')
const { overview: say } = adminWords

/** The first page of administrators: what waits for them, what is wrong, and what grew. */
export function OverviewPage() {
  const found = useQuery(route.useLoaderData().overview)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded query={found} lines={8}>
        {({ waiting, problems, growth }) => (
          <Stack gap="lg">
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Waiting waiting={waiting} />
              <Problems problems={problems} />
            </SimpleGrid>
            <Growth growth={growth} />
          </Stack>
        )}
      </Loaded>
    </>
  )
}

const Calm = ({ children }: { readonly children: ReactNode }) => (
  <Group gap="xs">
    <CircleCheck size={18} aria-hidden />
    <Text>{children}</Text>
  </Group>
)

type Waits = keyof typeof say.waits

function waitingLink(kind: Waits, text: string) {
  if (kind === 'apps' || kind === 'changedApps') return <TextLink to="/admin/approvals">{text}</TextLink>
  if (kind === 'permissions') return <TextLink to="/admin/permissions">{text}</TextLink>
  return (
    <TextLink to="/admin/people" search={{ status: kind }}>
      {text}
    </TextLink>
  )
}

function Waiting({ waiting }: Pick<Overview, 'waiting'>) {
  const kinds = (Object.keys(say.waits) as Waits[]).filter((kind) => waiting[kind] > 0)
  return (
    <Card title={say.waiting} isFlush={kinds.length > 0}>
      {kinds.length === 0 ? (
        <Calm>{say.nothingWaits}</Calm>
      ) : (
        <Items label={say.waiting}>
          {kinds.map((kind) => (
            <Item key={kind} title={waitingLink(kind, say.waits[kind](waiting[kind]))} />
          ))}
        </Items>
      )}
    </Card>
  )
}

function problemText({ problem, value, name }: OverviewProblem): string {
  if (problem === 'diskLow') return say.free(sayBytes(value))
  if (problem === 'emailOff') return say.emailOffText
  return problem.endsWith('Late') ? say.late(sayDuration(value)) : say.inAWeek(value, name)
}

function problemLink({ problem, clientId }: OverviewProblem) {
  const text = say.problem[problem]
  if (clientId === null) return <TextLink to="/admin/system">{text}</TextLink>
  return (
    <TextLink to="/console/plugins/$clientId/deliveries" params={{ clientId }} search={{ state: 'failed' }}>
      {text}
    </TextLink>
  )
}

const Problems = ({ problems }: Pick<Overview, 'problems'>) => (
  <Card title={say.problems} isFlush={problems.length > 0}>
    {problems.length === 0 ? (
      <Calm>{say.noProblems}</Calm>
    ) : (
      <Items label={say.problems}>
        {problems.map((one) => (
          <Item
            key={`${one.problem} ${one.clientId ?? one.name}`}
            lead={<CircleAlert size={18} aria-hidden />}
            title={problemLink(one)}
            sub={problemText(one)}
          />
        ))}
      </Items>
    )}
  </Card>
)

function Growth({ growth }: Pick<Overview, 'growth'>) {
  const links: Record<keyof typeof say.kinds, ReactNode> = {
    people: (
      <TextLink to="/admin/people" search={{ sort: '-created' }}>
        {say.kinds.people}
      </TextLink>
    ),
    activePeople: say.kinds.activePeople,
    organisations: <TextLink to="/console/organisations">{say.kinds.organisations}</TextLink>,
    classes: say.kinds.classes,
  }
  return (
    <Card title={say.growth} isFlush>
      <Rows label={say.growth} head={[say.kind, say.total, say.week, say.month]} minWidth={380}>
        {(Object.keys(links) as (keyof typeof links)[]).map((kind) => {
          const row: { total?: number; last7Days: number; last30Days: number } = growth[kind]
          const total = row.total === undefined ? say.none : say.count(row.total)
          return <Row key={kind} cells={[links[kind], total, say.count(row.last7Days), say.count(row.last30Days)]} />
        })}
      </Rows>
    </Card>
  )
}
