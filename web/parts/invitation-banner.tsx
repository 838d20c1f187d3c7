import { Alert, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listInvitations } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { Mail } from './icons.tsx'
import { invitationWords as say } from './invitation-words.ts'
import { ButtonLink } from './link.tsx'

/** Says how many invitations wait for an answer of the person or a parent; nothing if there are none. */
export function InvitationBanner() {
  const count = useQuery(query(listInvitations, {})).data?.length ?? 0
  if (count === 0) return null
  return (
    <Alert color="sky" icon={<Mail size={18} aria-hidden />}>
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {say.waiting(count)}
        </Text>
        <ButtonLink to="/account/invitations">{say.review}</ButtonLink>
      </Group>
    </Alert>
  )
}
