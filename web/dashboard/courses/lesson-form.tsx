import {
  Alert,
  Button,
  Checkbox,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import type { CourseDocument } from '../../api/operations.ts'
import { NumberField } from '../../parts/number-field.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { evaluationWords } from '../evaluations/words.ts'
import { dashboardWords } from '../words.ts'
import type { Objective } from './course-model.ts'
import { appWords } from './kinds/app-words.ts'
import type { Step } from './kinds/fields-props.ts'
import { KIND_FIELDS, kindOf, withKind } from './kinds/kinds.tsx'
import classes from './lesson-form.module.css'
import { editingWords } from './words.ts'

const { course: say } = dashboardWords
const ORDER = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}
const missing = (value: string) => (value.trim() === '' ? say.missingName : null)
type Figure = number | string
const figureOf = (value: Figure): number | undefined => (value === '' ? undefined : Number(value))

const MOST = 1_000_000
/** Checks a number that may be left empty. */
const within =
  (least: number, most: number, isWhole = false) =>
  (value: Figure) => {
    const figure = figureOf(value)
    const isFine = figure === undefined || (figure >= least && figure <= most && (!isWhole || Number.isInteger(figure)))
    return isFine ? null : editingWords.between(least, most, isWhole)
  }

interface LessonFormProps {
  readonly course: CourseDocument
  readonly lesson: Step
  /** The lessons that may be chosen as prerequisites of this lesson. */
  readonly others: readonly Step[]
  /** Mistakes that the platform found in the lesson, by field. */
  readonly mistakes: Readonly<Record<string, string>>
  readonly onApply: (lesson: Step) => void
  readonly onClose: () => void
}

/** The percent that a new quiz requires to pass. */
const QUIZ_THRESHOLD = 80

export function LessonForm({ course, lesson, others, mistakes, onApply, onClose }: LessonFormProps) {
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
    initialErrors: Object.fromEntries(
      Object.entries(FIELD_OF).flatMap(([field, input]) => (mistakes[field] ? [[input, mistakes[field]]] : [])),
    ),
    validate: {
      name: missing,
      expected: within(0, MOST),
      threshold: within(0, MOST),
      maxAttempts: within(1, 1000, true),
    },
  })
  // The part of the lesson that depends on its kind.
  const [content, setContent] = useState(lesson)
  const [errors, setErrors] = useState(mistakes)
  const kind = kindOf(content)
  const Fields = KIND_FIELDS[kind]
  useUnsaved(() => form.isDirty() || content !== lesson)
  const submit = form.onSubmit((values) => {
    const found = findMistakes(content)
    setErrors(found)
    if (Object.keys(found).length > 0) return
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
      ...(threshold !== undefined && kind in say.thresholdHelp && { threshold }),
      ...(most !== undefined && { maxAttempts: most }),
    })
  })
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {mistakes.id && <Alert color="red">{mistakes.id}</Alert>}
        <TextInput label={say.name} maxLength={200} data-autofocus {...form.getInputProps('name')} />
        {kind !== 'package' && (
          <Select
            label={say.kind}
            description={say.kindHelp[kind]}
            {...ORDER}
            allowDeselect={false}
            data={KINDS.map((value) => ({ value, label: say.kinds[value] }))}
            value={kind}
            error={errors.kind}
            onChange={(next) => {
              if (!next) return
              setContent(withKind(content, next as Kind))
              setErrors({})
              if (next === 'quiz' && form.values.threshold === '') form.setFieldValue('threshold', QUIZ_THRESHOLD)
            }}
          />
        )}
        <Textarea
          label={say.description}
          autosize
          minRows={2}
          maxLength={10_000}
          {...form.getInputProps('description')}
        />
        {Fields && (
          <Fields
            course={course}
            lesson={content}
            errors={errors}
            onChange={(changes) => {
              setContent((now) => ({ ...now, ...changes }))
              setErrors((now) => withoutFields(now, Object.keys(changes)))
            }}
          />
        )}
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
          <NumberField label={say.expected} min={0} {...form.getInputProps('expected')} />
          {kind in say.thresholdHelp && (
            <NumberField
              label={kind === 'quiz' ? say.percent : say.threshold}
              description={say.thresholdHelp[kind as keyof typeof say.thresholdHelp]}
              {...ORDER}
              {...form.getInputProps('threshold')}
            />
          )}
          <NumberField
            label={say.maxAttempts}
            description={say.maxAttemptsHelp}
            min={1}
            {...ORDER}
            {...form.getInputProps('maxAttempts')}
          />
        </SimpleGrid>
        <Checkbox label={say.isAssessment} {...form.getInputProps('isAssessment', { type: 'checkbox' })} />
        {kind !== 'package' && (
          <Checkbox label={say.isGraded} {...form.getInputProps('instructorGraded', { type: 'checkbox' })} />
        )}
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
/** The kinds that an author can choose. Lessons of packages are made when a package is added to the course. */
const KINDS: readonly Kind[] = ['page', 'file', 'quiz', 'instructor-led', 'app', 'activity']

/** The inputs of this form by the field of the lesson that they change. */
const FIELD_OF = {
  name: 'name',
  description: 'description',
  expectedCompletionTime: 'expected',
  threshold: 'threshold',
  maxAttempts: 'maxAttempts',
  prerequisites: 'prerequisites',
} as const

/** Leaves out the errors of fields that have changed, and of their parts. */
const withoutFields = (errors: Readonly<Record<string, string>>, fields: readonly string[]) =>
  Object.fromEntries(Object.entries(errors).filter(([field]) => !fields.includes(field.split('/', 1)[0]!)))

/** The content that a lesson of its kind cannot do without. */
function findMistakes(lesson: Step): Record<string, string> {
  switch (kindOf(lesson)) {
    case 'app':
      return { ...(!lesson.app?.trim() && { app: say.missingApp }), ...findParameterMistakes(lesson) }
    case 'page':
      return lesson.text?.trim() ? {} : { text: say.missingText }
    case 'file':
      return lesson.file ? {} : { file: say.missingFile }
    case 'quiz':
      return lesson.quiz?.parts.length ? {} : { quiz: say.missingQuiz }
    case 'instructor-led':
      return lesson.rubric?.some(({ name }) => name.trim() === '') ? { rubric: evaluationWords.missingCriterion } : {}
    default:
      return {}
  }
}

/** Finds launch parameters without a name, and names that appear twice. Rows that are empty are left out later. */
function findParameterMistakes({ launchParameters = [] }: Step): Record<string, string> {
  const names = launchParameters.map((text) => text.slice(0, text.indexOf('=')).trim())
  return Object.fromEntries(
    names.flatMap((name, i) => {
      const field = `launchParameters/${i}`
      if (name === '') return launchParameters[i] === '=' ? [] : [[field, appWords.missingParameter]]
      return names.indexOf(name) === i ? [] : [[field, appWords.twice]]
    }),
  )
}

/** Leaves out fields whose text is blank, empty launch parameters, and spaces around texts of one line. */
const withoutBlanks = ({ launchParameters, ...lesson }: Step): Step => {
  const filled = launchParameters?.filter((text) => text !== '=') ?? []
  return Object.fromEntries(
    Object.entries({ ...lesson, ...(filled.length > 0 && { launchParameters: filled }) })
      .map(([field, value]) => [field, field !== 'text' && typeof value === 'string' ? value.trim() : value])
      .filter(([, value]) => value !== ''),
  ) as Step
}

interface ObjectiveFormProps {
  readonly objective: Objective
  readonly lessons: readonly Step[]
  readonly mistakes: Readonly<Record<string, string>>
  readonly onApply: (objective: Objective) => void
  readonly onClose: () => void
}

export function ObjectiveForm({ objective, lessons, mistakes, onApply, onClose }: ObjectiveFormProps) {
  const form = useForm({
    initialValues: { name: objective.name, description: objective.description ?? '', lessons: objective.lessons },
    initialErrors: mistakes,
    validate: { name: missing },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      onSubmit={form.onSubmit((values) => onApply({ ...objective, ...values, name: values.name.trim() }))}
      noValidate
    >
      <Stack gap="sm">
        <TextInput label={say.name} maxLength={200} data-autofocus {...form.getInputProps('name')} />
        <Textarea
          label={say.description}
          autosize
          minRows={2}
          maxLength={10_000}
          {...form.getInputProps('description')}
        />
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
  <Group justify="flex-end" className={classes.buttons}>
    <Button variant="default" onClick={onClose}>
      {words.form.cancel}
    </Button>
    <Button type="submit">{say.apply}</Button>
  </Group>
)
