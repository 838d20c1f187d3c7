import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createAnnouncement, listAnnouncements } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { announcementWords as say } from './announcement-words.ts'
import { notify } from './notify.tsx'
import { Problem } from './states.tsx'
import { useUnsaved } from './unsaved.tsx'
import { words } from './words.ts'

export type AnnouncementTarget = { readonly classId: string } | { readonly organisation: string }

interface AnnouncementFormProps {
  readonly target: AnnouncementTarget
  readonly recipients: number
  readonly onClose: () => void
}

const isEmpty = (text: string): boolean => text.trim() === ''

/** A form for an announcement. It says how many people get it. */
export function AnnouncementForm({ target, recipients, onClose }: AnnouncementFormProps) {
  const send = useWrite(createAnnouncement, {
    changes: [listAnnouncements],
    onDone: () => {
      notify(say.sent)
      onClose()
    },
  })
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { title: '', text: '' },
    validate: {
      title: (value) => (isEmpty(value) ? say.missingTitle : null),
      text: (value) => (isEmpty(value) ? say.missingText : null),
    },
  })
  useUnsaved(() => form.isDirty() && !send.isSuccess)
  return (
    <form noValidate onSubmit={form.onSubmit((values) => send.mutate({ ...target, ...values }))}>
      <Stack>
        {send.error && <Problem title={say.sendFailed} error={send.error} />}
        <TextInput label={say.subject} maxLength={200} key={form.key('title')} {...form.getInputProps('title')} />
        <Textarea
          label={say.text}
          description={say.textHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autosize
          minRows={4}
          maxRows={12}
          maxLength={10_000}
          key={form.key('text')}
          {...form.getInputProps('text')}
        />
        <Text size="sm">{say.recipients(recipients)}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={send.isPending}>
            {say.send}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
