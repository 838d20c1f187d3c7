import { Button, Group, List, Text } from '@mantine/core'
import {
  acceptInvitation,
  type Child,
  declineInvitation,
  type Invitation,
  listClasses,
  listInvitations,
  listOrganisations,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { invitationWords } from '../../parts/invitation-words.ts'
import { Item, Items } from '../../parts/items.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { accountWords } from '../words.ts'

const { invitations: say } = accountWords
const { roles, permissions } = invitationWords

interface InvitationsCardProps {
  readonly invitations: readonly Invitation[]
}

export const InvitationsCard = ({ invitations }: InvitationsCardProps) => (
  <Card title={say.title} isFlush>
    <Items label={say.title}>
      {invitations.map((one) => (
        <InvitationItem key={one.invitationId} invitation={one} />
      ))}
    </Items>
  </Card>
)

/** Returns those of the invitations that are for this child. */
export const invitationsOf = (invitations: readonly Invitation[], { handle }: Child): readonly Invitation[] =>
  invitations.filter(({ isOwn, invited }) => !isOwn && invited.handle === handle)

function InvitationItem({ invitation }: { readonly invitation: Invitation }) {
  const { invitationId, organisation, inviter, invited, isOwn, mayAnswer, expiresDate } = invitation
  const changes = [listInvitations, listClasses, listOrganisations]
  const target = invitation.class?.name ?? organisation.name
  const accept = useWrite(acceptInvitation, { changes, onDone: () => notify(say.accepted(target)) })
  const decline = useWrite(declineInvitation, { changes, onDone: () => notify(say.declined) })
  const error = accept.error ?? decline.error
  const role = roles[invitation.role] ?? invitation.role
  return (
    <Item
      title={isOwn ? say.target(target, role) : say.targetOf(invited.name || invited.handle, target, role)}
      sub={
        <>
          {say.from(inviter.name, inviter.handle)}
          {invitation.class && ` · ${invitation.class.course} · ${organisation.name}`} · {say.expires}{' '}
          <Time at={expiresDate} />
        </>
      }
      action={
        mayAnswer && (
          <Group gap="xs">
            <Button
              size="xs"
              aria-label={say.acceptOf(target)}
              loading={accept.isPending}
              onClick={() => accept.mutate({ invitationId })}
            >
              {say.accept}
            </Button>
            <Button
              size="xs"
              variant="default"
              aria-label={say.declineOf(target)}
              loading={decline.isPending}
              onClick={() => decline.mutate({ invitationId })}
            >
              {say.decline}
            </Button>
          </Group>
        )
      }
      below={
        <>
          {error && <Problem title={say.failed} error={error} />}
          <Consequences invitation={invitation} />
          {!mayAnswer && <Text size="sm">{say.parentAnswers}</Text>}
        </>
      }
    />
  )
}

/** Says what follows from accepting. */
function Consequences({
  invitation: { class: joined, organisation, role, plugins, isOwn },
}: {
  invitation: Invitation
}) {
  const person = isOwn ? say.you : say.child
  if (joined) return <Text size="sm">{role === 'student' ? say.studentText(person) : say.staffText}</Text>
  return (
    <>
      <Text size="sm">{say.memberText(organisation.name, person)}</Text>
      {plugins.length > 0 && (
        <>
          <Text size="sm">{say.pluginsText(person)}</Text>
          <List size="sm">
            {plugins.map((plugin) => (
              <List.Item key={plugin.name}>
                {say.plugin(
                  plugin.name,
                  plugin.permissions.map((one) => permissions[one] ?? one),
                )}
              </List.Item>
            ))}
          </List>
        </>
      )}
    </>
  )
}
