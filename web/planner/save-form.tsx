import { Button, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { type Candidate, listPlans, savePlan } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { notify } from '../parts/notify.tsx'
import { Problem } from '../parts/states.tsx'
import { useUnsaved } from '../parts/unsaved.tsx'
import { words } from '../parts/words.ts'
import { plannerWords } from './words.ts'

const { save: say } = plannerWords
const { form: sayForm } = words

interface SavePlanFormProps {
  readonly searchId: string
  readonly count: number
  readonly compared: readonly Candidate[]
  readonly onClose: () => void
}

export function SavePlanForm({ searchId, count, compared, onClose }: SavePlanFormProps) {
  const navigate = useNavigate()
  const save = useWrite(savePlan, {
    changes: [listPlans],
    onDone: ({ planId, name }) => {
      notify(say.saved(name))
      void navigate({ to: '/planner/plans/$planId', params: { planId }, ignoreBlocker: true })
    },
  })
  const form = useForm({
    initialValues: { name: '', notes: '', who: compared.length > 0 ? 'compared' : 'all' },
    validate: { name: (value) => (value.trim() === '' ? say.missingName : null) },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name, notes, who }) =>
        save.mutate({
          searchId,
          name: name.trim(),
          ...(notes.trim() !== '' && { notes: notes.trim() }),
          ...(who === 'compared' && { people: compared.map(({ handle }) => handle) }),
        }),
      )}
    >
      <Stack>
        {save.error && <Problem title={say.failed} error={save.error} />}
        <TextInput label={say.name} maxLength={200} {...form.getInputProps('name')} />
        <Textarea
          label={say.notes}
          description={say.notesHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={5000}
          autosize
          minRows={2}
          {...form.getInputProps('notes')}
        />
        {compared.length > 0 && (
          <Radio.Group label={say.who} {...form.getInputProps('who')}>
            <Stack gap="xs" mt={4}>
              <Radio value="compared" label={say.compared(compared.length)} />
              <Radio value="all" label={say.all(count)} />
            </Stack>
          </Radio.Group>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {say.go}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
