import { Anchor, Button, Group, Stack, Text, ThemeIcon, Timeline } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { isConsentMissing } from '../../api/call.ts'
import {
  type AtoEntry,
  type AtoRequest,
  cancelAtoRequest,
  listAtoRequests,
  openAtoRequest,
  readAtoRequest,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { AllowDialog } from '../../parts/allow-dialog.tsx'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import {
  Ban,
  CircleCheck,
  CircleX,
  ExternalLink,
  type IconType,
  Info,
  PackageMinus,
  PackagePlus,
  Play,
  RefreshCw,
  TriangleAlert,
} from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'
import { AtoStatusBadge } from './status-badge.tsx'

const route = getRouteApi('/signed-in/console/ato/requests/$requestId')
const { atoRequest: say, ato: sayAto } = consoleWords
const REFRESH_MS = 5000

export function RequestPage() {
  const found = useQuery({
    ...route.useLoaderData().request,
    // The plugin may report at any time, so the request is polled until it is completed or cancelled.
    refetchInterval: ({ state: { data } }) =>
      data && data.completedDate === null && data.cancelledDate === null ? REFRESH_MS : false,
  })
  return <Loaded query={found}>{(request) => <RequestContent request={request} />}</Loaded>
}

function RequestContent({ request }: { readonly request: AtoRequest }) {
  const { requestId, clientId } = request
  const [isAsking, setAsking] = useState(false)
  const cancel = useWrite(cancelAtoRequest, {
    changes: [readAtoRequest, listAtoRequests],
    onDone: () => {
      setAsking(false)
      notify(say.cancelDone)
    },
  })
  const open = useWrite(openAtoRequest, { onDone: ({ uri }) => location.assign(uri) })
  const isAsked = isConsentMissing(open.error)
  const isOver = request.completedDate !== null || request.cancelledDate !== null
  return (
    <>
      <PageHead
        title={request.packageName}
        lead={say.lead(request.appName, request.pluginName)}
        above={
          <TextLink to="/console/ato" search={{ app: clientId }} size="sm">
            {sayAto.title}
          </TextLink>
        }
        action={
          <Group>
            {request.cancellable && !isOver && (
              <Button variant="default" onClick={() => setAsking(true)}>
                {say.cancel}
              </Button>
            )}
            {!request.pluginRemoved && !isOver && (
              <Button
                leftSection={<ExternalLink size={16} aria-hidden />}
                loading={open.isPending}
                onClick={() => open.mutate({ requestId })}
              >
                {say.open}
              </Button>
            )}
          </Group>
        }
      />
      <AllowDialog
        title={say.allowTitle}
        why={isAsked ? open.error?.message : undefined}
        text={say.allowText}
        go={say.allow}
        isPending={open.isPending}
        onAllow={() => open.mutate({ requestId, allow: true })}
        onClose={open.reset}
      />
      <Stack gap="lg">
        {open.error && !isAsked && <Problem title={say.openFailed} error={open.error} />}
        <FactsCard request={request} />
        <Card title={say.timeline}>
          <Timeline bulletSize={28} lineWidth={2}>
            {request.timeline.toReversed().map((entry, i) => (
              <Timeline.Item
                // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id, and are only ever added
                key={request.timeline.length - i}
                title={titleOf(entry)}
                bullet={<Bullet entry={entry} />}
              >
                <EntryBody entry={entry} />
              </Timeline.Item>
            ))}
          </Timeline>
        </Card>
      </Stack>
      <Confirm
        isOpen={isAsking}
        title={say.cancelTitle}
        go={say.cancel}
        isPending={cancel.isPending}
        error={cancel.error}
        onGo={() => cancel.mutate({ requestId })}
        onClose={() => setAsking(false)}
      >
        {say.cancelText}
      </Confirm>
    </>
  )
}

const FactsCard = ({ request }: { readonly request: AtoRequest }) => (
  <Card title={say.facts}>
    <Facts>
      <Fact name={sayAto.status}>
        <AtoStatusBadge request={request} />
      </Fact>
      <Fact name={say.id}>
        <Copied value={request.requestId} what={say.id} />
      </Fact>
      <Fact name={sayAto.package}>
        <TextLink to="/console/ato/packages/$packageId" params={{ packageId: request.packageId }}>
          {request.packageName}
        </TextLink>
      </Fact>
      <Fact name={sayAto.plugin}>
        {request.pluginRemoved ? `${request.pluginName} (${sayAto.unavailable.toLowerCase()})` : request.pluginName}
      </Fact>
      <Fact name={say.started}>
        <Time at={request.startedDate} /> {say.by(request.startedBy ?? say.nobody)}
      </Fact>
      <Fact name={say.changed}>
        <Time at={request.changedDate} />
      </Fact>
      {request.completedDate !== null && (
        <Fact name={say.completed}>
          <Time at={request.completedDate} />
        </Fact>
      )}
    </Facts>
  </Card>
)

const isStatus = (status: string | null): status is AtoRequest['status'] => status !== null && status in sayAto.statuses

/** Returns the title of an entry in the timeline of a request. */
function titleOf({ kind, status, alert, distribution }: AtoEntry): string {
  if (alert !== null) return alert.title
  if (distribution !== null) return `${say.entries[kind] ?? kind}: ${distribution.name}`
  return kind === 'status' && isStatus(status) ? sayAto.statuses[status] : (say.entries[kind] ?? kind)
}

const ALERTS: Readonly<Record<string, { icon: IconType; color: string }>> = {
  info: { icon: Info, color: 'sky' },
  success: { icon: CircleCheck, color: 'green' },
  warning: { icon: TriangleAlert, color: 'yellow' },
  error: { icon: CircleX, color: 'red' },
}
const KINDS: Readonly<Record<string, { icon: IconType; color: string }>> = {
  started: { icon: Play, color: 'sky' },
  status: { icon: RefreshCw, color: 'sky' },
  'distribution-added': { icon: PackagePlus, color: 'gray' },
  'distribution-removed': { icon: PackageMinus, color: 'gray' },
  cancelled: { icon: Ban, color: 'gray' },
}

function Bullet({ entry: { kind, status, alert } }: { readonly entry: AtoEntry }) {
  const look = (alert ? ALERTS[alert.type] : status === 'completed' ? ALERTS.success : KINDS[kind]) ?? ALERTS.info!
  const { icon: Icon, color } = look
  return (
    <ThemeIcon size={28} radius="xl" variant="light" color={color} aria-hidden>
      <Icon size={15} />
    </ThemeIcon>
  )
}

const EntryBody = ({ entry: { date, by, alert, distribution } }: { readonly entry: AtoEntry }) => (
  <Stack gap={4}>
    <Text size="xs" c="dimmed">
      {alert && `${say.alerts[alert.type]} · `}
      <Time at={date} /> {say.by(by ?? say.nobody)}
    </Text>
    {alert !== null && alert.text !== '' && (
      <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
        {alert.text}
      </Text>
    )}
    {alert?.status && (
      <Text size="xs" c="dimmed">
        {alert.status}
      </Text>
    )}
    {distribution !== null && (
      <Anchor href={distribution.uri} size="sm" target="_blank" rel="noreferrer">
        {distribution.uri}
      </Anchor>
    )}
  </Stack>
)
