import { Button, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Connection, listConnections, removeConnection } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Building2 } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { notify } from '../../parts/notify.tsx'
import { Time } from '../../parts/time.tsx'
import { accountWords } from '../words.ts'

const { security: say } = accountWords

/** Lists the organisations of the person that have their own sign-in. Without one, nothing is shown. */
export function ConnectionsCard() {
  const { data: connections = [] } = useQuery(query(listConnections, {}))
  if (connections.length === 0) return null
  return (
    <Card title={say.connections} isFlush>
      <Text size="sm" c="dimmed" px={20} pb="sm" pt={4}>
        {say.connectionsText}
      </Text>
      <Items label={say.connections}>
        {connections.map((connection) => (
          <ConnectionItem key={connection.organisation} connection={connection} />
        ))}
      </Items>
    </Card>
  )
}

function ConnectionItem({ connection }: { readonly connection: Connection }) {
  const { organisation, name, issuer, linkedDate, lastUsedDate, isRequired } = connection
  const [isAsking, setAsking] = useState(false)
  const remove = useWrite(removeConnection, {
    changes: [listConnections],
    onDone: () => notify(say.disconnected(name)),
  })
  const page = `/account/provider?${new URLSearchParams({ organisation, connect: 'true', next: '/account/security' })}`
  return (
    <Item
      lead={<Building2 size={20} aria-hidden />}
      title={<bdi>{name}</bdi>}
      sub={
        <>
          {new URL(issuer).host}.{' '}
          {linkedDate === null || lastUsedDate === null ? (
            say.notConnected
          ) : (
            <>
              {say.connected} <Time at={linkedDate} />, {say.lastUsed} <Time at={lastUsedDate} />
            </>
          )}
          {isRequired && <>. {say.isRequired}</>}
        </>
      }
      action={
        linkedDate === null ? (
          <Button component="a" href={page} variant="light" size="xs" aria-label={say.connectTo(name)}>
            {say.connect}
          </Button>
        ) : (
          !isRequired && (
            <Button
              variant="light"
              color="red"
              size="xs"
              aria-label={say.disconnectFrom(name)}
              onClick={() => setAsking(true)}
            >
              {say.disconnect}
            </Button>
          )
        )
      }
      below={
        <Confirm
          isOpen={isAsking}
          title={say.disconnectTitle(name)}
          go={say.disconnect}
          isPending={remove.isPending}
          error={remove.error}
          onGo={() => remove.mutate({ organisation })}
          onClose={() => setAsking(false)}
        >
          {say.disconnectText}
        </Confirm>
      }
    />
  )
}
