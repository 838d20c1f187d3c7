import { Button, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { leaveOrganisation, listClasses, listOrganisations, type Organisation } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Building2, Mail } from '../../parts/icons.tsx'
import { invitationWords } from '../../parts/invitation-words.ts'
import { Item, Items } from '../../parts/items.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { accountWords } from '../words.ts'
import { InvitationsCard } from './invitation-items.tsx'

const route = getRouteApi('/signed-in/account/invitations')
const { invitations: say } = accountWords

/** Shows the invitations to the person and their children, and the organisations that the person can leave. */
export function InvitationsPage() {
  const loaded = route.useLoaderData()
  const invitations = useQuery(loaded.invitations)
  const organisations = useQuery(loaded.organisations)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Stack gap="lg">
        <Loaded query={invitations}>
          {(found) =>
            found.length === 0 ? (
              <Card>
                <Empty icon={Mail} title={say.empty}>
                  {say.emptyText}
                </Empty>
              </Card>
            ) : (
              <InvitationsCard invitations={found} />
            )
          }
        </Loaded>
        <Loaded query={organisations}>
          {({ docs }) => <Memberships organisations={docs.filter(({ may }) => may.leave)} />}
        </Loaded>
      </Stack>
    </>
  )
}

const Memberships = ({ organisations }: { readonly organisations: readonly Organisation[] }) => (
  <Card title={say.organisations} isFlush>
    {organisations.length === 0 ? (
      <Empty icon={Building2} title={say.noOrganisation} />
    ) : (
      <Items label={say.organisations}>
        {organisations.map((one) => (
          <Membership key={one.organisation} organisation={one} />
        ))}
      </Items>
    )}
  </Card>
)

function Membership({ organisation: { organisation, name, role } }: { readonly organisation: Organisation }) {
  const [isAsked, setAsked] = useState(false)
  const leave = useWrite(leaveOrganisation, {
    changes: [listOrganisations, listClasses],
    onDone: () => notify(say.left(name)),
  })
  return (
    <Item
      title={name}
      sub={invitationWords.roles[role ?? ''] ?? role}
      action={
        <Button size="xs" variant="default" aria-label={say.leaveOf(name)} onClick={() => setAsked(true)}>
          {say.leave}
        </Button>
      }
      below={
        <Confirm
          isOpen={isAsked}
          title={say.leaveTitle(name)}
          go={say.leave}
          isPending={leave.isPending}
          error={leave.error}
          onGo={() => leave.mutate({ organisation })}
          onClose={() => setAsked(false)}
        >
          {say.leaveText}
        </Confirm>
      }
    />
  )
}
