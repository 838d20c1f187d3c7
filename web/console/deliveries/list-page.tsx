import { Button, Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type Delivery, listDeliveries, readDelivery, replayDeliveries } from '../../api/operations.ts'
import { useBulkWrite, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { RotateCw, Send } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { BulkFailures, SelectionBar, useSelection } from '../../parts/selection.tsx'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { AttemptTicks } from './attempt-ticks.tsx'
import { Countdown } from './countdown.tsx'
import { DeliveryBadge } from './state-badge.tsx'

const route = getRouteApi('/signed-in/console/plugins/$clientId/deliveries')
const { deliveries: say, plugin: sayPlugin } = consoleWords
const { form: sayForm } = words
const REFRESH_MS = 5000
const STATES = ['waiting', 'delivered', 'failed', 'replaced'] as const
type State = Delivery['state']

export function DeliveryListPage() {
  const { clientId } = route.useParams()
  const { state, sort, page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const [isReplaying, setReplaying] = useState(false)
  const list = useQuery({
    ...route.useLoaderData().deliveries,
    // The platform retries waiting deliveries automatically, so poll until none is waiting.
    refetchInterval: ({ state: { data } }) => (data?.docs.some((one) => one.state === 'waiting') ? REFRESH_MS : false),
  })
  const show = (next: { state?: State | undefined; page?: number | undefined }) =>
    void navigate({ search: only({ sort, ...next }), replace: true })
  return (
    <>
      <Text size="sm" c="dimmed">
        {say.text}
      </Text>
      <Group justify="space-between">
        <SegmentedControl
          aria-label={say.filter}
          value={state ?? 'all'}
          data={[{ value: 'all', label: say.all }, ...STATES.map((value) => ({ value, label: say.states[value] }))]}
          onChange={(next) => show({ state: next === 'all' ? undefined : (next as State) })}
          size="xs"
        />
        <Button
          variant="default"
          size="xs"
          leftSection={<RotateCw size={14} aria-hidden />}
          onClick={() => setReplaying(true)}
        >
          {say.replayRange}
        </Button>
      </Group>
      <Loaded query={list}>
        {({ docs, pages, total }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={Send} title={state === undefined ? say.empty : say.emptyFiltered}>
                {state === undefined && say.emptyText}
              </Empty>
            ) : (
              <DeliveryTable clientId={clientId} deliveries={docs} />
            )}
            <Pager page={page} pages={pages} total={total} onChange={(next) => show({ state, page: next })} />
          </Card>
        )}
      </Loaded>
      <Dialog isOpen={isReplaying} onClose={() => setReplaying(false)} title={say.replayRangeTitle}>
        <ReplayForm
          clientId={clientId}
          state={state === 'delivered' ? state : 'failed'}
          onClose={() => setReplaying(false)}
        />
      </Dialog>
    </>
  )
}

interface DeliveryTableProps {
  readonly clientId: string
  readonly deliveries: readonly Delivery[]
}

function DeliveryTable({ clientId, deliveries }: DeliveryTableProps) {
  // A waiting delivery is sent anyway, so only settled ones can be sent again.
  const settled = deliveries.filter(({ state }) => state !== 'waiting').map(({ deliveryId }) => deliveryId)
  const selection = useSelection(settled)
  const replay = useBulkWrite(replayDeliveries, {
    changes: [listDeliveries, readDelivery],
    onDone: ({ done }) => {
      if (done > 0) notify(say.replayed(done, false))
    },
  })
  return (
    <>
      <SelectionBar selection={selection}>
        <Button
          size="compact-sm"
          variant="default"
          loading={replay.isPending}
          onClick={() =>
            replay.mutate(selection.chosen.map((deliveryId) => ({ name: deliveryId, input: { clientId, deliveryId } })))
          }
        >
          {say.replaySelected(selection.chosen.length)}
        </Button>
      </SelectionBar>
      <BulkFailures result={replay.data} />
      <Rows
        label={say.title}
        head={[say.purpose, say.state, say.attempts, say.next, { title: say.created, sort: 'created' }]}
        sort={useSort('-created')}
        selection={selection}
        minWidth={800}
      >
        {deliveries.map((one) => (
          <DeliveryRow key={one.deliveryId} clientId={clientId} delivery={one} />
        ))}
      </Rows>
    </>
  )
}

const DeliveryRow = ({ clientId, delivery }: { readonly clientId: string; readonly delivery: Delivery }) => {
  const { deliveryId, purpose, state, attempts, outcomes, nextDate, createdDate, problem } = delivery
  return (
    <Row
      {...(state !== 'waiting' && { select: { id: deliveryId, name: deliveryId } })}
      cells={[
        <>
          <TextLink
            to="/console/plugins/$clientId/deliveries/$deliveryId"
            params={{ clientId, deliveryId }}
            fw={600}
            aria-label={say.open(sayPlugin.purposes[purpose as keyof typeof sayPlugin.purposes] ?? purpose, deliveryId)}
          >
            {sayPlugin.purposes[purpose as keyof typeof sayPlugin.purposes] ?? purpose}
          </TextLink>
          <Text size="xs" c="dimmed" maw={260} lineClamp={1}>
            {problem ?? deliveryId}
          </Text>
        </>,
        <DeliveryBadge key="state" state={state} />,
        <AttemptTicks key="attempts" attempts={attempts} outcomes={outcomes} isDelivered={state === 'delivered'} />,
        state === 'waiting' && nextDate !== null ? <Countdown key="next" to={nextDate} /> : words.time.none,
        <Time key="created" at={createdDate} />,
      ]}
    />
  )
}

interface ReplayFormProps {
  readonly clientId: string
  readonly state: State
  readonly onClose: () => void
}

/** Formats a time as the value of a `datetime-local` field: in the person's time zone, without an offset. */
const localMoment = (at: Date): string =>
  new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)

function ReplayForm({ clientId, state, onClose }: ReplayFormProps) {
  const replay = useWrite(replayDeliveries, {
    changes: [listDeliveries, readDelivery],
    onDone: ({ count, more }) => {
      notify(say.replayed(count, more))
      onClose()
    },
  })
  const needed = (value: string) => (value === '' ? say.missingMoment : null)
  const form = useForm({
    initialValues: {
      state: state as string,
      from: localMoment(new Date(Date.now() - 86_400_000)),
      to: localMoment(new Date(Date.now() + 60_000)),
    },
    validate: { from: needed, to: needed },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) =>
        replay.mutate({
          clientId,
          state: values.state as State,
          from: new Date(values.from).toISOString(),
          to: new Date(values.to).toISOString(),
        }),
      )}
    >
      <Stack>
        {replay.error && <Problem title={say.replayFailed} error={replay.error} />}
        <Text size="sm">{say.replayRangeText}</Text>
        <Select
          label={say.state}
          data={(['failed', 'delivered'] as const).map((value) => ({ value, label: say.states[value] }))}
          allowDeselect={false}
          {...form.getInputProps('state')}
        />
        <TextInput type="datetime-local" label={say.from} {...form.getInputProps('from')} />
        <TextInput type="datetime-local" label={say.to} {...form.getInputProps('to')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={replay.isPending}>
            {say.replay}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
