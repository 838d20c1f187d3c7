import { Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listSentInvitations, resendInvitation, type SentInvitation, withdrawInvitation } from '../api/operations.ts'
import { query, useWrite } from '../api/query.ts'
import { Card } from './card.tsx'
import { invitationWords as say } from './invitation-words.ts'
import { notify } from './notify.tsx'
import { onDemand } from './on-demand.ts'
import { Pager } from './pager.tsx'
import { Row, Rows } from './rows.tsx'
import { Problem } from './states.tsx'
import { Time } from './time.tsx'

const LIMIT = 20
/** Loaded when somebody corrects an invitation. */
const CorrectDialog = onDemand(async () => (await import('./correct-invitation.tsx')).CorrectInvitation)

interface SentInvitationsProps {
  readonly target: { readonly organisation: string } | { readonly classId: string }
}

/** Lists the invitations to an organisation or a class that were not accepted; nothing if there are none. */
export function SentInvitations({ target }: SentInvitationsProps) {
  const [page, setPage] = useState(1)
  const { data } = useQuery(query(listSentInvitations, { ...target, page, limit: LIMIT }))
  if (!data || data.total === 0) return null
  return (
    <Card title={say.sent} action={<Text c="dimmed">{say.sentCount(data.total)}</Text>} isFlush>
      <Rows label={say.sent} head={[say.handle, say.role, say.sentAt, say.status]} hasActions minWidth={600}>
        {data.docs.map((one) => (
          <SentRow key={one.invitationId} invitation={one} />
        ))}
      </Rows>
      <Pager page={page} pages={data.pages} total={data.total} onChange={setPage} />
    </Card>
  )
}

function SentRow({ invitation }: { invitation: SentInvitation }) {
  const { invitationId, handle, name, firstName, lastName, role, status, sentDate } = invitation
  const [isCorrecting, setCorrecting] = useState(false)
  const changes = [listSentInvitations]
  const resend = useWrite(resendInvitation, { changes, onDone: () => notify(say.sentTo(handle)) })
  const withdraw = useWrite(withdrawInvitation, { changes, onDone: () => notify(say.withdrawn(handle)) })
  const error = resend.error ?? withdraw.error
  return (
    <Row
      cells={[
        <>
          <Text size="sm">{handle}</Text>
          {name !== '' && (
            <Text size="xs" c="dimmed">
              {name}
            </Text>
          )}
          {error && <Problem title={say.failed} error={error} />}
        </>,
        say.roles[role] ?? role,
        <Time key="sent" at={sentDate} />,
        <Badge key="status" color={status === 'pending' ? 'sky' : 'gray'}>
          {say.statuses[status]}
        </Badge>,
        <Group key="actions" gap="xs" wrap="nowrap" justify="flex-end">
          {handle.includes('@', 1) && (
            <Button variant="subtle" size="xs" aria-label={say.correctOf(handle)} onClick={() => setCorrecting(true)}>
              {say.correct}
            </Button>
          )}
          {isCorrecting && (
            <CorrectDialog
              invitation={{ invitationId, email: handle, firstName, lastName }}
              changes={changes}
              onClose={() => setCorrecting(false)}
            />
          )}
          <Button
            variant="default"
            size="xs"
            aria-label={say.resendTo(handle)}
            loading={resend.isPending}
            onClick={() => resend.mutate({ invitationId })}
          >
            {say.resend}
          </Button>
          <Button
            variant="subtle"
            color="red"
            size="xs"
            aria-label={say.withdrawOf(handle)}
            loading={withdraw.isPending}
            onClick={() => withdraw.mutate({ invitationId })}
          >
            {say.withdraw}
          </Button>
        </Group>,
      ]}
    />
  )
}
