import { Text } from '@mantine/core'
import { removeOrganisationMember } from '../../api/operations.ts'
import { useBulkWrite } from '../../api/query.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { MEMBER_CHANGES } from '../../parts/member-changes.ts'
import { notify } from '../../parts/notify.tsx'
import { BulkFailures } from '../../parts/selection.tsx'
import { consoleWords } from '../words.ts'

const { organisation: say } = consoleWords

interface RemoveMembersProps {
  readonly organisation: string
  readonly members: readonly { readonly handle: string; readonly name: string }[]
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Removes several members from an organisation, after asking once. */
export function RemoveMembersDialog({ organisation, members, onDone, onClose }: RemoveMembersProps) {
  const remove = useBulkWrite(removeOrganisationMember, {
    changes: MEMBER_CHANGES,
    onDone: ({ done, failed }) => {
      if (done > 0) notify(say.removedMany(done))
      if (failed.length > 0) return
      onDone()
      onClose()
    },
  })
  return (
    <Confirm
      isOpen
      title={say.removeManyTitle(members.length)}
      go={say.removeMany(members.length)}
      isPending={remove.isPending}
      error={remove.error}
      onGo={() => remove.mutate(members.map(({ handle }) => ({ name: handle, input: { organisation, handle } })))}
      onClose={onClose}
    >
      <BulkFailures result={remove.data} />
      {say.removeText}
      <Text size="sm" mt="xs" lineClamp={3}>
        {members.map(({ name }) => name).join(', ')}
      </Text>
    </Confirm>
  )
}
