import { Badge, Button, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { grantPluginPermissions, listPlugins, type Plugin, readPlugin } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Confirm } from '../parts/confirm.tsx'
import { Blocks, Check, Clock } from '../parts/icons.tsx'
import { offerUndo } from '../parts/notify.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { PagedList } from '../parts/paged-list.tsx'
import { Row, Rows } from '../parts/rows.tsx'
import { only } from '../parts/search.ts'
import { Empty, Problem } from '../parts/states.tsx'
import { adminWords } from './words.ts'

const { permissions: say } = adminWords
const route = getRouteApi('/signed-in/admin/permissions')

type Permission = Plugin['permissions'][number]['permission']
const OF_KIND: Readonly<Record<Plugin['kind'], readonly Permission[]>> = {
  ai: ['user-records', 'badges', 'skills', 'mission-planner'],
  ato: ['ato'],
}
const ALL = [...OF_KIND.ai, ...OF_KIND.ato]

/** Shows a table of plugins and permissions, in which administrators grant and revoke permissions. */
export function PermissionsPage() {
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().plugins)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <PagedList
        query={list}
        page={page}
        onPage={(next) => void navigate({ search: only({ page: next }) })}
        empty={
          <Empty icon={Blocks} title={say.empty}>
            {say.emptyText}
          </Empty>
        }
      >
        {(docs) => (
          <Rows label={say.title} head={[say.plugin, ...ALL.map((one) => say.names[one])]} minWidth={920}>
            {docs.map((plugin) => (
              <PluginRow key={plugin.clientId} plugin={plugin} />
            ))}
          </Rows>
        )}
      </PagedList>
    </>
  )
}

function PluginRow({ plugin }: { readonly plugin: Plugin }) {
  const { clientId, name, kind } = plugin
  const [withdrawn, setWithdrawn] = useState<Permission>()
  const set = useWrite(grantPluginPermissions, { changes: [listPlugins, readPlugin] })
  const granted = plugin.permissions.flatMap(({ permission, grantedDate }) => (grantedDate ? [permission] : []))
  const without = (gone: Permission) => granted.filter((one) => one !== gone)
  const grant = (permission: Permission) =>
    set.mutate(
      { clientId, permissions: [...without(permission), permission] },
      {
        onSuccess: () =>
          offerUndo(say.grantedNow(say.names[permission], name), () =>
            set.mutate({ clientId, permissions: without(permission) }),
          ),
      },
    )
  const withdraw = (permission: Permission) =>
    set.mutate(
      { clientId, permissions: without(permission) },
      {
        onSuccess: () => {
          setWithdrawn(undefined)
          offerUndo(say.withdrawn(say.names[permission], name), () => set.mutate({ clientId, permissions: granted }))
        },
      },
    )
  const cell = (permission: Permission) => {
    if (!OF_KIND[kind].includes(permission)) return <Never />
    if (!plugin.permissions.some((one) => one.permission === permission)) return <Quiet>{say.notAsked}</Quiet>
    const isGranted = granted.includes(permission)
    const what = [say.names[permission], name] as const
    return (
      <Stack gap={4} align="flex-start">
        {isGranted ? (
          <Badge color="green" leftSection={<Check size={12} aria-hidden />}>
            {say.granted}
          </Badge>
        ) : (
          <Badge color="yellow" leftSection={<Clock size={12} aria-hidden />}>
            {say.asked}
          </Badge>
        )}
        <Button
          size="compact-sm"
          variant={isGranted ? 'subtle' : 'filled'}
          color={isGranted ? 'red' : 'sky'}
          disabled={set.isPending}
          onClick={() => (isGranted ? setWithdrawn(permission) : grant(permission))}
          aria-label={isGranted ? say.withdrawOf(...what) : say.grantOf(...what)}
        >
          {isGranted ? say.withdraw : say.grant}
        </Button>
      </Stack>
    )
  }
  return (
    <Row
      cells={[
        <Stack key="plugin" gap={4} align="flex-start">
          <Text fw={600}>{name}</Text>
          <Text size="sm" c="dimmed">
            {say.kinds[kind]} · {plugin.organisationName ?? plugin.owner}
          </Text>
          <PluginState plugin={plugin} />
          {set.error && !withdrawn && <Problem title={say.failed} error={set.error} />}
          {withdrawn && (
            <Confirm
              isOpen
              title={say.withdrawTitle(say.names[withdrawn])}
              go={say.withdraw}
              isPending={set.isPending}
              error={set.error}
              onGo={() => withdraw(withdrawn)}
              onClose={() => setWithdrawn(undefined)}
            >
              {say.withdrawText(name, plugin.organisations.length)}
            </Confirm>
          )}
        </Stack>,
        ...ALL.map(cell),
      ]}
    />
  )
}

function PluginState({ plugin: { status, active } }: { readonly plugin: Plugin }) {
  if (status === 'pending')
    return (
      <Badge color="yellow" title={say.approves}>
        {say.waiting}
      </Badge>
    )
  if (status === 'suspended') return <Badge color="red">{say.suspended}</Badge>
  return <Badge color={active ? 'green' : 'gray'}>{active ? say.active : say.inactive}</Badge>
}

const Never = () => (
  // `pos="relative"` keeps the visually hidden text inside the scrolling table; otherwise it would widen the page.
  <Text size="sm" c="dimmed" pos="relative">
    <span aria-hidden>–</span>
    <VisuallyHidden>{say.none}</VisuallyHidden>
  </Text>
)

const Quiet = ({ children }: { readonly children: string }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)
