import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  listProviderFailures,
  type Organisation,
  type Provider,
  readProvider,
  removeProvider,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Ban, CircleCheck, CirclePause } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { ConnectCard } from './connect-card.tsx'
import { DomainsCard } from './domains-card.tsx'
import { FailuresCard } from './failures-card.tsx'
import { GroupsCard } from './groups-card.tsx'
import { ModeCard } from './mode-card.tsx'
import { providerWords as say } from './provider-words.ts'

const route = getRouteApi('/signed-in/console/organisations/$organisation/provider')

export function ProviderPage() {
  const { organisation, provider } = route.useLoaderData()
  const [found, read] = [useQuery(organisation), useQuery(provider)]
  return (
    <Loaded query={found}>
      {(one) => <Loaded query={read}>{(provider) => <ProviderContent one={one} provider={provider} />}</Loaded>}
    </Loaded>
  )
}

function ProviderContent({ one, provider }: { readonly one: Organisation; readonly provider: Provider }) {
  const { organisation } = provider
  return (
    <>
      <PageHead
        title={say.title}
        lead={
          <>
            {say.lead} {provider.people > 0 && say.people(provider.people)}
          </>
        }
        above={
          <TextLink to="/console/organisations/$organisation" params={{ organisation }} size="sm">
            {one.name}
          </TextLink>
        }
        action={<StateBadge provider={provider} />}
      />
      <Stack gap="lg" maw={720}>
        {/* Another provider is another form. */}
        <ConnectCard key={`${provider.issuer} ${provider.clientId}`} provider={provider} />
        <DomainsCard provider={provider} />
        <TestCard provider={provider} />
        <ModeCard provider={provider} name={one.name} />
        {provider.issuer !== null && <GroupsCard provider={provider} />}
        {provider.issuer !== null && <FailuresCard organisation={organisation} />}
        {provider.issuer !== null && <RemoveCard provider={provider} />}
      </Stack>
    </>
  )
}

function StateBadge({ provider: { issuer, mode } }: { readonly provider: Provider }) {
  const [color, Icon, word] =
    issuer === null
      ? (['gray', Ban, say.states.none] as const)
      : mode === 'off'
        ? (['gray', CirclePause, say.states.off] as const)
        : (['green', CircleCheck, say.states[mode]] as const)
  return (
    <Badge color={color} leftSection={<Icon size={13} aria-hidden />}>
      {word}
    </Badge>
  )
}

/** Leads to the test, which is a page of the sign-in. */
function TestCard({ provider: { organisation, issuer, testedDate } }: { readonly provider: Provider }) {
  return (
    <Card title={say.test}>
      <Stack>
        <Text size="sm">{say.testText}</Text>
        {issuer === null ? (
          <Text size="sm" c="dimmed">
            {say.testFirst}
          </Text>
        ) : (
          <Group>
            <Button
              component="a"
              href={`/account/provider/test?${new URLSearchParams({ organisation })}`}
              variant={testedDate === null ? 'filled' : 'default'}
            >
              {say.testNow}
            </Button>
            <Text size="sm">
              {testedDate === null ? (
                say.notTested
              ) : (
                <>
                  {say.tested} <Time at={testedDate} />
                </>
              )}
            </Text>
          </Group>
        )}
      </Stack>
    </Card>
  )
}

function RemoveCard({ provider: { organisation, people } }: { readonly provider: Provider }) {
  const [isOpen, setOpen] = useState(false)
  const remove = useWrite(removeProvider, {
    changes: [readProvider, listProviderFailures],
    onDone: () => {
      setOpen(false)
      notify(say.removed)
    },
  })
  return (
    <Card title={say.danger} isDanger>
      <Group justify="space-between">
        <Text size="sm">{say.dangerText}</Text>
        <Button color="red" variant="outline" onClick={() => setOpen(true)}>
          {say.remove}
        </Button>
      </Group>
      <Confirm
        isOpen={isOpen}
        title={say.removeTitle}
        go={say.remove}
        isPending={remove.isPending}
        error={remove.error}
        onGo={() => remove.mutate({ organisation })}
        onClose={() => setOpen(false)}
      >
        {say.removeText(people)}
      </Confirm>
    </Card>
  )
}
