import {
  ActionIcon,
  Badge,
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Radio,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useId } from 'react'
import type { QuizQuestion } from '../../api/operations.ts'
import { ArrowDown, ArrowUp, CircleAlert, CircleCheck, CircleX } from '../../parts/icons.tsx'
import { quizWords } from './words.ts'

const { take: say, review } = quizWords

interface QuestionViewProps {
  readonly question: QuizQuestion
  readonly value: unknown
  /** Left out if the answer cannot be changed. */
  readonly onChange?: (value: unknown) => void
}

/** A question with its answer, in the form of its kind. */
export function QuestionView({ question, value, onChange }: QuestionViewProps) {
  const id = useId()
  const Field = FIELDS[question.kind]
  return (
    <Stack gap="md">
      <Text id={id} fw={550} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {question.text}
      </Text>
      <Field question={question} value={value} onChange={onChange} labelledBy={id} />
      {question.feedback && <FeedbackView question={question} />}
      {question.graded?.remark && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          {review.remark}: {question.graded.remark}
        </Text>
      )}
    </Stack>
  )
}

interface FieldProps {
  readonly question: QuizQuestion
  readonly value: unknown
  readonly onChange: ((value: unknown) => void) | undefined
  readonly labelledBy: string
}

/** Answers that cannot be changed are read, so they are not faint. */
const READABLE = { styles: { label: { color: 'inherit', cursor: 'default' } } }

const SingleField = ({ question, value, onChange, labelledBy }: FieldProps) => (
  <Radio.Group
    value={typeof value === 'string' ? value : ''}
    onChange={(chosen) => onChange?.(chosen)}
    aria-labelledby={labelledBy}
  >
    <Stack gap="sm">
      {question.options!.map(({ id, text }) => (
        <Radio key={id} value={id} label={text} disabled={!onChange} {...(!onChange && READABLE)} />
      ))}
    </Stack>
  </Radio.Group>
)

const MultipleField = ({ question, value, onChange, labelledBy }: FieldProps) => (
  <Checkbox.Group
    value={Array.isArray(value) ? (value as string[]) : []}
    onChange={(chosen) => onChange?.(chosen.length === 0 ? null : chosen)}
    aria-labelledby={labelledBy}
    description={say.severalChoices}
  >
    <Stack gap="sm" mt="xs">
      {question.options!.map(({ id, text }) => (
        <Checkbox key={id} value={id} label={text} disabled={!onChange} {...(!onChange && READABLE)} />
      ))}
    </Stack>
  </Checkbox.Group>
)

/** Items are moved with buttons, so that the keyboard is enough. */
function OrderingField({ question, value, onChange, labelledBy }: FieldProps) {
  const items = question.items!
  const order = Array.isArray(value) ? (value as string[]) : items.map(({ id }) => id)
  const move = (from: number, to: number) => {
    const moved = [...order]
    moved.splice(to, 0, ...moved.splice(from, 1))
    onChange?.(moved)
  }
  return (
    <Stack gap="xs">
      <ol aria-labelledby={labelledBy} style={{ margin: 0, padding: 0, listStyle: 'none' }}>
        {order.map((id, i) => {
          const text = items.find((one) => one.id === id)?.text ?? ''
          return (
            <li key={id}>
              <Group wrap="nowrap" gap="xs" py={4}>
                <Text c="dimmed" w={24}>
                  {i + 1}.
                </Text>
                <Text flex={1} style={{ overflowWrap: 'anywhere' }}>
                  {text}
                </Text>
                {onChange && (
                  <>
                    <ActionIcon
                      variant="default"
                      size="lg"
                      aria-label={say.up(text)}
                      disabled={i === 0}
                      onClick={() => move(i, i - 1)}
                    >
                      <ArrowUp size={16} aria-hidden />
                    </ActionIcon>
                    <ActionIcon
                      variant="default"
                      size="lg"
                      aria-label={say.down(text)}
                      disabled={i === order.length - 1}
                      onClick={() => move(i, i + 1)}
                    >
                      <ArrowDown size={16} aria-hidden />
                    </ActionIcon>
                  </>
                )}
              </Group>
            </li>
          )
        })}
      </ol>
      {onChange && !Array.isArray(value) && (
        <Group>
          <Button variant="default" size="xs" onClick={() => onChange(order)}>
            {say.keepOrder}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function MatchingField({ question, value, onChange, labelledBy }: FieldProps) {
  const chosen = (value ?? {}) as Readonly<Record<string, string>>
  return (
    <Stack gap="sm" role="group" aria-labelledby={labelledBy}>
      {question.prompts!.map(({ id, text }) => (
        <NativeSelect
          key={id}
          label={text}
          disabled={!onChange}
          value={chosen[id] ?? ''}
          data={[
            { value: '', label: say.choose },
            ...question.choices!.map((choice) => ({ value: choice.id, label: choice.text })),
          ]}
          onChange={(event) => {
            const { [id]: _, ...others } = chosen
            const picked = event.currentTarget.value
            const next = picked === '' ? others : { ...others, [id]: picked }
            onChange?.(Object.keys(next).length === 0 ? null : next)
          }}
        />
      ))}
    </Stack>
  )
}

const NumericField = ({ question, value, onChange, labelledBy }: FieldProps) => (
  <TextInput
    aria-labelledby={labelledBy}
    inputMode="decimal"
    autoComplete="off"
    maw={240}
    disabled={!onChange}
    value={value === null || value === undefined ? '' : String(value)}
    rightSection={question.unit && <Text size="sm">{question.unit}</Text>}
    rightSectionWidth={question.unit ? 16 + question.unit.length * 9 : 0}
    onChange={(event) => onChange?.(event.currentTarget.value)}
  />
)

const TextField = ({ question, value, onChange, labelledBy }: FieldProps) => (
  <TextInput
    aria-labelledby={labelledBy}
    autoComplete="off"
    maxLength={question.maxLength ?? 500}
    disabled={!onChange}
    value={String(value ?? '')}
    onChange={(event) => onChange?.(event.currentTarget.value)}
  />
)

const EssayField = ({ question, value, onChange, labelledBy }: FieldProps) => {
  const text = String(value ?? '')
  return onChange ? (
    <Textarea
      aria-labelledby={labelledBy}
      autosize
      minRows={6}
      maxLength={question.maxLength ?? 20_000}
      description={say.characters(text.length, question.maxLength ?? 20_000)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text || review.noAnswer}</Text>
  )
}

const FIELDS = {
  single: SingleField,
  multiple: MultipleField,
  ordering: OrderingField,
  matching: MatchingField,
  numeric: NumericField,
  text: TextField,
  essay: EssayField,
} as const

/** Says in words what a response means, for the correct answer. */
function sayResponse(question: QuizQuestion, response: unknown): string {
  const parts = question.options ?? question.items ?? question.choices ?? []
  const textOf = (id: string) => parts.find((part) => part.id === id)?.text ?? ''
  switch (question.kind) {
    case 'single':
      return textOf(String(response))
    case 'multiple':
      return (response as string[]).map(textOf).join('; ')
    case 'ordering':
      return (response as string[]).map((id, i) => `${i + 1}. ${textOf(id)}`).join('  ')
    case 'matching':
      return (question.prompts ?? [])
        .map(({ id, text }) => `${text}: ${textOf((response as Record<string, string>)[id] ?? '')}`)
        .join('; ')
    default:
      return String(response)
  }
}

function FeedbackView({ question }: { readonly question: QuizQuestion }) {
  const { correct, points, correctResponse, tolerance, accepted, explanation, remarks = [] } = question.feedback!
  const isPartly = correct === false && (points ?? 0) > 0
  const [color, Icon, label] =
    correct === null
      ? (['gray', CircleAlert, review.ungraded] as const)
      : correct
        ? (['green', CircleCheck, review.correct] as const)
        : isPartly
          ? (['yellow', CircleAlert, review.partly] as const)
          : (['red', CircleX, review.wrong] as const)
  return (
    <Stack gap={6}>
      <Group gap="xs">
        <Badge color={color} leftSection={<Icon size={14} aria-hidden />}>
          {label}
        </Badge>
        {points !== null && (
          <Text size="sm" c="dimmed">
            {quizWords.outOf(points, question.maxPoints)}
          </Text>
        )}
      </Group>
      {remarks.map((remark) => (
        <Text key={remark} size="sm">
          {remark}
        </Text>
      ))}
      {correct === false && correctResponse !== null && (
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {review.answerIs}: {accepted ? accepted.join('; ') : sayResponse(question, correctResponse)}
          {tolerance ? ` ${review.within(tolerance)}` : ''} {question.unit}
        </Text>
      )}
      {explanation && (
        <Text size="sm" style={{ whiteSpace: 'pre-wrap' }}>
          {explanation}
        </Text>
      )}
    </Stack>
  )
}
