import { Accordion, Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type DeliveryLog, listDeliveries, readDelivery, replayDeliveries } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Code } from '../../parts/code.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { CircleCheck, CircleX, RotateCw } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'
import { AttemptTicks } from './attempt-ticks.tsx'
import { Countdown } from './countdown.tsx'
import { DeliveryBadge } from './state-badge.tsx'

const route = getRouteApi('/signed-in/console/plugins/$clientId/deliveries/$deliveryId')
const { deliveries: say, plugin: sayPlugin } = consoleWords
const REFRESH_MS = 5000

export function DeliveryPage() {
  const { clientId, deliveryId } = route.useParams()
  const found = useQuery({
    ...route.useLoaderData().delivery,
    refetchInterval: ({ state: { data } }) => (data?.state === 'waiting' ? REFRESH_MS : false),
  })
  const replay = useWrite(replayDeliveries, {
    changes: [readDelivery, listDeliveries],
    onDone: ({ count, more }) => notify(say.replayed(count, more)),
  })
  return (
    <Loaded query={found}>
      {(delivery) => (
        <>
          <PageHead
            title={`${say.one}: ${sayPlugin.purposes[delivery.purpose as keyof typeof sayPlugin.purposes] ?? delivery.purpose}`}
            lead={<DeliveryBadge state={delivery.state} />}
            above={
              <TextLink to="/console/plugins/$clientId/deliveries" params={{ clientId }} size="sm">
                {say.title}
              </TextLink>
            }
            action={
              delivery.state !== 'waiting' && (
                <Button
                  leftSection={<RotateCw size={16} aria-hidden />}
                  loading={replay.isPending}
                  onClick={() => replay.mutate({ clientId, deliveryId })}
                >
                  {say.replay}
                </Button>
              )
            }
          />
          <Stack gap="lg">
            {replay.error && <Problem title={say.replayFailed} error={replay.error} />}
            {delivery.problem !== null && delivery.state !== 'delivered' && (
              <Alert color="red" icon={<CircleX size={18} aria-hidden />} title={say.problem}>
                {delivery.problem}
              </Alert>
            )}
            <FactsCard delivery={delivery} />
            <Card title={say.body}>
              <Code value={JSON.stringify(delivery.body, null, 2)} what={say.body.toLowerCase()} />
            </Card>
            <LogCard log={delivery.log} />
          </Stack>
        </>
      )}
    </Loaded>
  )
}

const FactsCard = ({ delivery }: { readonly delivery: DeliveryLog }) => (
  <Card>
    <Facts>
      <Fact name={say.id}>
        <Copied value={delivery.deliveryId} what={say.id} />
      </Fact>
      {delivery.requestId !== null && (
        <Fact name={say.request}>
          <TextLink to="/console/ato/requests/$requestId" params={{ requestId: delivery.requestId }}>
            {delivery.requestId}
          </TextLink>
        </Fact>
      )}
      <Fact name={say.attempts}>
        <AttemptTicks
          attempts={delivery.attempts}
          outcomes={delivery.outcomes}
          isDelivered={delivery.state === 'delivered'}
        />
      </Fact>
      {delivery.state === 'waiting' && delivery.nextDate !== null && (
        <Fact name={say.next}>
          <Countdown to={delivery.nextDate} />
        </Fact>
      )}
      <Fact name={say.created}>
        <Time at={delivery.createdDate} />
      </Fact>
      {delivery.settledDate !== null && (
        <Fact name={say.settled}>
          <Time at={delivery.settledDate} />
        </Fact>
      )}
    </Facts>
  </Card>
)

const LogCard = ({ log }: Pick<DeliveryLog, 'log'>) => (
  <Card title={say.log}>
    {log.length === 0 ? (
      <Text size="sm" c="dimmed">
        {say.noLog}
      </Text>
    ) : (
      <Accordion variant="separated" order={3} defaultValue={String(log[0]!.number)}>
        {log.map(({ number, date, uri, headers, tookMs, status, answer, problem }) => (
          <Accordion.Item key={number} value={String(number)}>
            <Accordion.Control
              icon={
                problem === null ? (
                  <CircleCheck size={18} aria-hidden color="light-dark(#1f8a4c, #54c785)" />
                ) : (
                  <CircleX size={18} aria-hidden color="light-dark(#c43d31, #ff8a7f)" />
                )
              }
            >
              <Group gap="xs">
                <Text size="sm" fw={550}>
                  {say.attempt(number)}
                </Text>
                <Text size="sm" c="dimmed">
                  {status === null ? say.noAnswer : say.status(status)} · {say.took(tookMs)} · <Time at={date} />
                </Text>
              </Group>
            </Accordion.Control>
            <Accordion.Panel>
              <Stack gap="sm">
                {problem !== null && <Text size="sm">{problem}</Text>}
                <Text size="sm" fw={550}>
                  {say.headers}
                </Text>
                <Code
                  value={[`POST ${uri}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)].join(
                    '\n',
                  )}
                  what={say.headers.toLowerCase()}
                />
                <Text size="sm" fw={550}>
                  {say.answer}
                </Text>
                {answer === null || answer === '' ? (
                  <Text size="sm" c="dimmed">
                    {status === null ? say.noAnswer : say.emptyAnswer}
                  </Text>
                ) : (
                  <Code value={answer} what={say.answer.toLowerCase()} />
                )}
              </Stack>
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
    )}
  </Card>
)
