import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type ClassDetails, duplicateClass, listClasses, listManagedClasses } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { duplicateWords as say } from './duplicate-words.ts'

/** Offers a copy of the class with its settings and staff, for the next run of the course. */
export function DuplicateClass({ classDetails }: { readonly classDetails: ClassDetails }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <Card title={say.open}>
      <Group justify="space-between">
        <Text size="sm" flex={1} miw={220}>
          {say.text}
        </Text>
        <Button variant="default" onClick={() => setOpen(true)}>
          {say.go}
        </Button>
      </Group>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={say.open}>
        <DuplicateForm classDetails={classDetails} onClose={() => setOpen(false)} />
      </Dialog>
    </Card>
  )
}

interface DuplicateFormProps {
  readonly classDetails: ClassDetails
  readonly onClose: () => void
}

function DuplicateForm({ classDetails: { classId, name, course }, onClose }: DuplicateFormProps) {
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { name: say.copyOf(name).slice(0, 200), version: 'newest' as 'newest' | 'same' },
    validate: { name: (value) => (value.trim() === '' ? say.missingName : null) },
  })
  useUnsaved(() => form.isDirty())
  const duplicate = useWrite(duplicateClass, {
    changes: [listManagedClasses, listClasses],
    onDone: (made) => {
      onClose()
      void navigate({
        to: '/dashboard/classes/$classId/roster',
        params: { classId: made.classId },
        ignoreBlocker: true,
      })
    },
  })
  return (
    <form noValidate onSubmit={form.onSubmit((values) => duplicate.mutate({ classId, ...values }))}>
      <Stack>
        {duplicate.error && <Problem title={say.failed} error={duplicate.error} />}
        <TextInput label={say.name} maxLength={200} data-autofocus {...form.getInputProps('name')} />
        <Select
          label={say.version}
          allowDeselect={false}
          data={[
            { value: 'newest', label: say.newest },
            { value: 'same', label: say.same(course.version) },
          ]}
          {...form.getInputProps('version')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={duplicate.isPending}>
            {say.go}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
