import { Button, Checkbox, Group, MultiSelect, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Suspense, useState } from 'react'
import type { CourseDocument } from '../../api/operations.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import type { Objective } from './course-model.ts'
import type { Step } from './kinds/fields-props.ts'
import { KIND_FIELDS, kindOf, withKind } from './kinds/kinds.tsx'

const { course: say } = dashboardWords
const ORDER = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}
const missing = (value: string) => (value.trim() === '' ? say.missingName : null)
type Figure = number | string
const figureOf = (value: Figure): number | undefined => (value === '' ? undefined : Number(value))

interface LessonFormProps {
  readonly course: CourseDocument
  readonly lesson: Step
  /** The lessons that may be chosen as prerequisites of this lesson. */
  readonly others: readonly Step[]
  readonly onApply: (lesson: Step) => void
  readonly onClose: () => void
}

export function LessonForm({ course, lesson, others, onApply, onClose }: LessonFormProps) {
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
    },
    validate: { name: missing },
  })
  // The part of the lesson that depends on its kind.
  const [content, setContent] = useState(lesson)
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const Fields = KIND_FIELDS[kindOf(content)]
  useUnsaved(() => form.isDirty() || content !== lesson)
  const submit = form.onSubmit((values) => {
    const mistakes = findMistakes(content)
    setErrors(mistakes)
    if (Object.keys(mistakes).length > 0) return
    const { expectedCompletionTime: _, threshold: __, maxAttempts: ___, ...rest } = withoutBlanks(content)
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
    })
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput label={say.name} data-autofocus {...form.getInputProps('name')} />
        <Select
          label={say.kind}
          description={say.kindHelp[kindOf(content)]}
          {...ORDER}
          allowDeselect={false}
          data={KINDS.map((value) => ({ value, label: say.kinds[value] }))}
          value={kindOf(content)}
          onChange={(kind) => kind && setContent(withKind(content, kind as Kind))}
        />
        <Textarea label={say.description} autosize minRows={2} {...form.getInputProps('description')} />
        {Fields && (
          <Suspense>
            <Fields
              course={course}
              lesson={content}
              errors={errors}
              onChange={(changes) => setContent({ ...content, ...changes })}
            />
          </Suspense>
        )}
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
        <Buttons onClose={onClose} />
      </Stack>
    </form>
  )
}

type Kind = ReturnType<typeof kindOf>
const KINDS: readonly Kind[] = ['page', 'file', 'quiz', 'instructor-led', 'app', 'activity']

/** The content that a lesson of its kind cannot do without. */
function findMistakes(lesson: Step): Record<string, string> {
  switch (kindOf(lesson)) {
    case 'app':
      return lesson.app?.trim() ? {} : { app: say.missingApp }
    case 'page':
      return lesson.text?.trim() ? {} : { text: say.missingText }
    case 'file':
      return lesson.file ? {} : { file: say.missingFile }
    case 'quiz':
      return lesson.quiz?.parts.length ? {} : { quiz: say.missingQuiz }
    default:
      return {}
  }
}

/** Leaves out fields whose text is blank, and spaces around texts of one line. */
const withoutBlanks = (lesson: Step): Step =>
  Object.fromEntries(
    Object.entries(lesson)
      .map(([field, value]) => [field, field !== 'text' && typeof value === 'string' ? value.trim() : value])
      .filter(([, value]) => value !== ''),
  ) as Step

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
