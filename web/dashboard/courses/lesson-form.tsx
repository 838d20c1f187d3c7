import { Button, Checkbox, Group, MultiSelect, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { NumberField } from '../../parts/number-field.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import type { Objective, Step } from './course-model.ts'

const { course: say } = dashboardWords
const ORDER = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}
const missing = (value: string) => (value.trim() === '' ? say.missingName : null)
type Figure = number | string
const figureOf = (value: Figure): number | undefined => (value === '' ? undefined : Number(value))

interface LessonFormProps {
  readonly lesson: Step
  /** The lessons that may be chosen as prerequisites of this lesson. */
  readonly others: readonly Step[]
  readonly onApply: (lesson: Step) => void
  readonly onClose: () => void
}

export function LessonForm({ lesson, others, onApply, onClose }: LessonFormProps) {
  const form = useForm({
    initialValues: {
      name: lesson.name,
      description: lesson.description ?? '',
      expected: (lesson.expectedCompletionTime ?? '') as Figure,
      threshold: (lesson.threshold ?? '') as Figure,
      maxAttempts: (lesson.maxAttempts ?? '') as Figure,
      isAssessment: lesson.isAssessment ?? false,
      instructorGraded: lesson.instructorGraded ?? false,
      prerequisites: lesson.prerequisites ?? [],
      app: lesson.app ?? '',
      launchUri: lesson.launchUri ?? '',
    },
    validate: { name: missing },
  })
  useUnsaved(() => form.isDirty())
  const submit = form.onSubmit((values) => {
    const { expectedCompletionTime: _, threshold: __, maxAttempts: ___, app: ____, launchUri: _____, ...rest } = lesson
    const [expected, threshold, most] = [values.expected, values.threshold, values.maxAttempts].map(figureOf)
    onApply({
      ...rest,
      name: values.name.trim(),
      description: values.description,
      isAssessment: values.isAssessment,
      instructorGraded: values.instructorGraded,
      prerequisites: values.prerequisites,
      ...(expected !== undefined && { expectedCompletionTime: expected }),
      ...(threshold !== undefined && { threshold }),
      ...(most !== undefined && { maxAttempts: most }),
      ...(values.app.trim() !== '' && { app: values.app.trim() }),
      ...(values.launchUri.trim() !== '' && { launchUri: values.launchUri.trim() }),
    })
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput label={say.name} data-autofocus {...form.getInputProps('name')} />
        <Textarea label={say.description} autosize minRows={2} {...form.getInputProps('description')} />
        <Group grow align="flex-start">
          <NumberField label={say.expected} min={0} {...form.getInputProps('expected')} />
          <NumberField
            label={say.threshold}
            description={say.thresholdHelp}
            {...ORDER}
            {...form.getInputProps('threshold')}
          />
          <NumberField
            label={say.maxAttempts}
            description={say.maxAttemptsHelp}
            min={1}
            {...ORDER}
            {...form.getInputProps('maxAttempts')}
          />
        </Group>
        <Checkbox label={say.isAssessment} {...form.getInputProps('isAssessment', { type: 'checkbox' })} />
        <Checkbox label={say.isGraded} {...form.getInputProps('instructorGraded', { type: 'checkbox' })} />
        <MultiSelect
          searchable
          label={say.prerequisites}
          data={others.map(({ id: value, name: label }) => ({ value, label }))}
          {...form.getInputProps('prerequisites')}
        />
        <TextInput label={say.app} description={say.appHelp} {...ORDER} {...form.getInputProps('app')} />
        <TextInput label={say.launchUri} {...form.getInputProps('launchUri')} />
        <Buttons onClose={onClose} />
      </Stack>
    </form>
  )
}

interface ObjectiveFormProps {
  readonly objective: Objective
  readonly lessons: readonly Step[]
  readonly onApply: (objective: Objective) => void
  readonly onClose: () => void
}

export function ObjectiveForm({ objective, lessons, onApply, onClose }: ObjectiveFormProps) {
  const form = useForm({
    initialValues: { name: objective.name, description: objective.description ?? '', lessons: objective.lessons },
    validate: { name: missing },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      onSubmit={form.onSubmit((values) => onApply({ ...objective, ...values, name: values.name.trim() }))}
      noValidate
    >
      <Stack gap="sm">
        <TextInput label={say.name} data-autofocus {...form.getInputProps('name')} />
        <Textarea label={say.description} autosize minRows={2} {...form.getInputProps('description')} />
        <MultiSelect
          searchable
          label={say.countsIn}
          data={lessons.map(({ id: value, name: label }) => ({ value, label }))}
          {...form.getInputProps('lessons')}
        />
        <Buttons onClose={onClose} />
      </Stack>
    </form>
  )
}

const Buttons = ({ onClose }: { readonly onClose: () => void }) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClose}>
      {words.form.cancel}
    </Button>
    <Button type="submit">{say.apply}</Button>
  </Group>
)
