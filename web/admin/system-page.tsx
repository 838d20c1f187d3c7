import { Button, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { System } from '../api/operations.ts'
import { Bar } from '../parts/bar.tsx'
import { Card } from '../parts/card.tsx'
import { Fact, Facts } from '../parts/facts.tsx'
import { RefreshCw } from '../parts/icons.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Row, Rows } from '../parts/rows.tsx'
import { Loaded } from '../parts/states.tsx'
import { sayBytes, sayDuration, Time } from '../parts/time.tsx'
import { adminWords } from './words.ts'

const route = getRouteApi('/signed-in/admin/system')
const { system: say } = adminWords
const REFRESH_MS = 10_000
const SHOWN = 15

export function SystemPage() {
  const found = useQuery({ ...route.useLoaderData().system, refetchInterval: REFRESH_MS })
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        action={
          <Button
            variant="default"
            leftSection={<RefreshCw size={16} aria-hidden />}
            loading={found.isFetching && found.data === undefined}
            onClick={() => void found.refetch()}
          >
            {say.fresh}
          </Button>
        }
      />
      <Loaded query={found} lines={10}>
        {(system) => (
          <Stack gap="lg">
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Process system={system} />
              <Database system={system} />
              <Queues system={system} />
              <Jobs jobs={system.jobs} />
            </SimpleGrid>
            <Operations operations={system.operations} />
            <Consumers system={system} />
          </Stack>
        )}
      </Loaded>
    </>
  )
}

interface SystemProps {
  readonly system: System
}

const sayWait = (seconds: number): string => (seconds <= 0 ? say.none : sayDuration(seconds))

const Process = ({ system }: SystemProps) => (
  <Card title={say.versions}>
    <Facts>
      <Fact name={say.groundschool}>{system.version}</Fact>
      <Fact name={say.node}>{system.node}</Fact>
      <Fact name={say.postgres}>{system.database.version}</Fact>
      <Fact name={say.started}>
        <Time at={system.startedDate} />
      </Fact>
      <Fact name={say.memory}>{sayBytes(system.memoryBytes)}</Fact>
    </Facts>
  </Card>
)

const Database = ({ system: { database, storage } }: SystemProps) => (
  <Card title={say.database}>
    <Facts>
      <Fact name={say.size}>{sayBytes(database.sizeBytes)}</Fact>
      <Fact name={say.records}>{sayBytes(storage.recordsBytes)}</Fact>
      {storage.freeBytes !== null && (
        <Fact name={say.freeDisk}>{say.freeOf(sayBytes(storage.freeBytes), sayBytes(storage.reserveBytes))}</Fact>
      )}
      <Fact name={say.connections}>
        {say.connectionsOf(database.connections, database.connectionLimit)}
        <Bar share={database.connections / database.connectionLimit} />
      </Fact>
      <Fact name={say.waiting}>{say.calls(database.waiting)}</Fact>
      <Fact name={say.migrations}>{say.migrationsOf(database.migrations, database.lastMigration)}</Fact>
    </Facts>
  </Card>
)

const Queues = ({ system: { events, deliveries } }: SystemProps) => (
  <Card title={say.events}>
    <Facts>
      <Fact name={say.oldest}>{sayWait(Math.max(0, ...events.consumers.map((one) => one.waitingSeconds)))}</Fact>
      <Fact name={say.unpublished}>{sayWait(events.unpublishedSeconds)}</Fact>
      <Fact name={say.deliveriesWait}>{deliveries.waiting}</Fact>
      <Fact name={say.overdue}>{sayWait(deliveries.overdueSeconds)}</Fact>
      <Fact name={say.deliveriesFailed}>{deliveries.failed}</Fact>
    </Facts>
  </Card>
)

/** Lists the latency of operations. The length of each bar is relative to the slowest operation that is shown. */
function Operations({ operations }: Pick<System, 'operations'>) {
  const [isAll, setAll] = useState(false)
  const shown = isAll ? operations : operations.slice(0, SHOWN)
  const slowest = Math.max(1, ...shown.map(({ p95Ms }) => p95Ms))
  return (
    <Card title={say.operations} isFlush>
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {say.operationsText}
      </Text>
      <Rows
        label={say.operations}
        head={[say.operation, say.requests, say.latency, say.median, say.p95, say.refused, say.failed]}
        minWidth={760}
      >
        {shown.map((one) => (
          <Row
            key={one.operation}
            cells={[
              one.operation,
              one.count.toLocaleString('en'),
              <Bar key="bar" share={one.p50Ms / slowest} behind={one.p95Ms / slowest} />,
              say.ms(one.p50Ms),
              say.ms(one.p95Ms),
              one.refused,
              one.failed,
            ]}
          />
        ))}
      </Rows>
      {operations.length > shown.length && (
        <Button variant="subtle" m="sm" onClick={() => setAll(true)}>
          {say.more(operations.length)}
        </Button>
      )}
    </Card>
  )
}

const Consumers = ({ system: { events } }: SystemProps) => (
  <Card title={say.consumers} isFlush>
    <Rows label={say.consumers} head={[say.consumer, say.age, say.unread, say.putAside]} minWidth={420}>
      {events.consumers.map(({ name, waitingSeconds, unread, failed }) => (
        <Row key={name} cells={[name, sayWait(waitingSeconds), unread, failed]} />
      ))}
    </Rows>
  </Card>
)

const Jobs = ({ jobs }: Pick<System, 'jobs'>) => (
  <Card title={say.jobs} isFlush={jobs.length > 0}>
    {jobs.length === 0 ? (
      <Text c="dimmed">{say.noJobs}</Text>
    ) : (
      <Rows label={say.jobs} head={[say.job, say.age, say.due, say.givenUp]} minWidth={380}>
        {jobs.map(({ kind, waitingSeconds, due, givenUp }) => (
          <Row key={kind} cells={[kind, sayWait(waitingSeconds), due, givenUp]} />
        ))}
      </Rows>
    )}
  </Card>
)
