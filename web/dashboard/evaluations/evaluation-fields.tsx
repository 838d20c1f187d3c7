import { Group, Input, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { NumberField } from '../../parts/number-field.tsx'
import classes from './evaluation.module.css'
import { type EvaluationValues, maxOf, percentageOf, type Rubric, standingOf } from './evaluation-model.ts'
import { evaluationWords as say } from './words.ts'

const ORDER = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}
/** Up to this many points, each is a button. */
const MOST_BUTTONS = 5

interface EvaluationFieldsProps {
  readonly rubric: Rubric
  readonly threshold: number | null
  readonly values: EvaluationValues
  readonly mistakes: Readonly<Record<string, string>>
  readonly onChange: (changes: Partial<EvaluationValues>) => void
  /** False if an evaluation is changed: its times stay. */
  readonly hasTimes?: boolean
}

/** The fields of an evaluation, large enough for a thumb. */
export function EvaluationFields({
  rubric,
  threshold,
  values,
  mistakes,
  onChange,
  hasTimes = true,
}: EvaluationFieldsProps) {
  const computed = percentageOf(rubric, values)
  const { score, pass } = standingOf(rubric, threshold, values)
  const setPoints = (id: string, points: number | '') => onChange({ points: { ...values.points, [id]: points } })
  return (
    <Stack>
      {rubric.length > 0 && (
        <ol className={classes.criteria} aria-label={say.criteria}>
          {rubric.map((criterion) => (
            <li key={criterion.id}>
              <PointsField
                criterion={criterion}
                points={values.points[criterion.id] ?? ''}
                error={mistakes[criterion.id]}
                onChange={(points) => setPoints(criterion.id, points)}
              />
            </li>
          ))}
        </ol>
      )}
      <NumberField
        size="md"
        label={say.score}
        description={[say.scoreHelp(computed), ...(threshold === null ? [] : [say.required(threshold)])].join(' ')}
        {...ORDER}
        value={score ?? ''}
        error={mistakes.score}
        onChange={(to) => onChange({ score: to })}
      />
      <Input.Wrapper label={say.result} error={mistakes.pass}>
        <SegmentedControl
          fullWidth
          size="md"
          mt={4}
          aria-label={say.result}
          value={pass === undefined ? '' : pass ? 'pass' : 'fail'}
          data={[
            { value: 'pass', label: say.pass },
            { value: 'fail', label: say.fail },
          ]}
          onChange={(to) => onChange({ pass: to === 'pass' })}
        />
      </Input.Wrapper>
      <Textarea
        size="md"
        label={say.remarks}
        description={say.remarksHelp}
        {...ORDER}
        autosize
        minRows={3}
        maxLength={5000}
        value={values.remarks}
        onChange={({ currentTarget }) => onChange({ remarks: currentTarget.value })}
      />
      {hasTimes && (
        <Group align="flex-start" gap="sm">
          <TextInput
            size="md"
            type="date"
            label={say.date}
            value={values.date}
            onChange={({ currentTarget }) => onChange({ date: currentTarget.value })}
          />
          <TextInput
            size="md"
            type="time"
            label={say.time}
            value={values.time}
            error={mistakes.time}
            onChange={({ currentTarget }) => onChange({ time: currentTarget.value })}
          />
          <NumberField
            size="md"
            w={100}
            label={say.minutes}
            min={0}
            value={values.minutes}
            error={mistakes.minutes}
            onChange={(to) => onChange({ minutes: to })}
          />
        </Group>
      )}
    </Stack>
  )
}

interface PointsFieldProps {
  readonly criterion: Rubric[number]
  readonly points: number | ''
  readonly error: string | undefined
  readonly onChange: (points: number | '') => void
}

function PointsField({ criterion, points, error, onChange }: PointsFieldProps) {
  const most = maxOf(criterion)
  const isSmall = Number.isInteger(most) && most <= MOST_BUTTONS
  if (!isSmall)
    return (
      <NumberField
        size="md"
        label={criterion.name}
        description={[criterion.description, say.points(most)].filter(Boolean).join(' · ')}
        {...ORDER}
        min={0}
        max={most}
        value={points}
        error={error}
        onChange={onChange}
      />
    )
  return (
    <Input.Wrapper label={criterion.name} error={error}>
      <SegmentedControl
        fullWidth
        size="md"
        mt={4}
        aria-label={criterion.name}
        value={points === '' ? '' : String(points)}
        data={[
          { value: '', label: say.notEvaluated },
          ...Array.from({ length: most + 1 }, (_, i) => ({ value: String(i), label: String(i) })),
        ]}
        onChange={(to) => onChange(to === '' ? '' : Number(to))}
      />
      {criterion.description && (
        <Text size="sm" c="dimmed" mt={4}>
          {criterion.description}
        </Text>
      )}
    </Input.Wrapper>
  )
}
