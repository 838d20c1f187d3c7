import { Button, Group, Stack, Switch, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { createClass, listManagedClasses } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/states.tsx'
import { Unsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'

const { newClass: say, settings } = dashboardWords

/** Creates a class of the published version. Its students and staff are added on the pages of the class. */
export function NewClass({ courseId }: { readonly courseId: string }) {
  const [isOpen, setOpen] = useState(false)
  const navigate = useNavigate()
  const create = useWrite(createClass, { changes: [listManagedClasses] })
  const form = useForm({
    initialValues: { name: '', sequential: true },
    validate: { name: (value) => (value.trim() === '' ? settings.missingName : null) },
  })
  const submit = form.onSubmit((values) =>
    create.mutate(
      { courseId, newJoinCode: true, ...values },
      {
        onSuccess: ({ classId }) =>
          void navigate({ to: '/dashboard/classes/$classId/roster', params: { classId }, ignoreBlocker: true }),
      },
    ),
  )
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {say.open}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={say.open}>
        <form onSubmit={submit} noValidate>
          <Unsaved hasChanges={() => form.isDirty()} />
          <Stack>
            {create.error && <Problem title={say.failed} error={create.error} />}
            <TextInput label={settings.name} data-autofocus {...form.getInputProps('name')} />
            <Switch
              label={settings.sequential}
              description={settings.sequentialHelp}
              {...form.getInputProps('sequential', { type: 'checkbox' })}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setOpen(false)}>
                {words.form.cancel}
              </Button>
              <Button type="submit" loading={create.isPending}>
                {say.go}
              </Button>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  )
}
