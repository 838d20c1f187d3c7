import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { correctInvitation } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Dialog } from './dialog.tsx'
import { invitationWords as say } from './invitation-words.ts'
import { notify } from './notify.tsx'
import { personWords } from './person-words.ts'
import { Problem } from './states.tsx'
import { useUnsaved } from './unsaved.tsx'
import { words } from './words.ts'

export interface CorrectedInvitation {
  readonly invitationId: string
  readonly email: string
  readonly firstName: string
  readonly lastName: string
}

interface CorrectInvitationProps {
  readonly invitation: CorrectedInvitation
  /** Reads that the change makes stale. */
  readonly changes: NonNullable<NonNullable<Parameters<typeof useWrite>[1]>['changes']>
  readonly onClose: () => void
}

/** Corrects the address or the names of an invitation by e-mail address, and sends it again. */
export const CorrectInvitation = (props: CorrectInvitationProps) => (
  <Dialog isOpen title={say.correctTitle(props.invitation.email)} onClose={props.onClose}>
    <CorrectForm {...props} />
  </Dialog>
)

function CorrectForm({ invitation, changes, onClose }: CorrectInvitationProps) {
  const { invitationId, ...initialValues } = invitation
  const save = useWrite(correctInvitation, {
    changes,
    onDone: ({ handle }) => {
      notify(say.sentTo(handle))
      onClose()
    },
  })
  const form = useForm({
    initialValues,
    validate: { email: (value) => (value.trim() === '' ? say.missingEmail : null) },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form noValidate onSubmit={form.onSubmit((values) => save.mutate({ invitationId, ...values }))}>
      <Stack>
        {save.error && <Problem title={say.failed} error={save.error} />}
        <TextInput
          label={personWords.email}
          description={say.correctHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          type="email"
          maxLength={254}
          {...form.getInputProps('email')}
        />
        <TextInput label={personWords.firstName} maxLength={100} {...form.getInputProps('firstName')} />
        <TextInput label={personWords.lastName} maxLength={100} {...form.getInputProps('lastName')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {say.correctGo}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
