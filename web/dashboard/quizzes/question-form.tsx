import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { type UseFormReturnType, useForm } from '@mantine/form'
import {
  changeQuestion,
  createQuestion,
  listQuestions,
  listQuestionTags,
  type Question,
  readQuestion,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { CircleMinus } from '../../parts/icons.tsx'
import { notify } from '../../parts/notify.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { emptyQuestion, findFaults, fromQuestion, newKey, type QuestionValues, toContent } from './question-model.ts'
import { quizWords } from './words.ts'

const { form: say, kinds } = quizWords
const ORDER = {
  inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
}
const MAX_PARTS = 20

interface QuestionFormProps {
  readonly organisation: string
  /** The question to change, or to copy; undefined for a new one. */
  readonly question?: Question | undefined
  readonly isCopy?: boolean
  readonly onSaved: (question: Question) => void
  readonly onClose: () => void
}

/** Creates or changes a question of the bank. */
export function QuestionForm({ organisation, question, isCopy = false, onSaved, onClose }: QuestionFormProps) {
  const form = useForm<QuestionValues>({
    initialValues: question ? fromQuestion(question) : emptyQuestion,
    validate: findFaults,
  })
  useUnsaved(() => form.isDirty())
  const onDone = (saved: Question) => {
    notify(say.saved)
    onSaved(saved)
  }
  const changes = [listQuestions, listQuestionTags, readQuestion]
  const create = useWrite(createQuestion, { changes, onDone })
  const change = useWrite(changeQuestion, { changes, onDone })
  const isNew = question === undefined || isCopy
  const error = create.error ?? change.error
  const { kind } = form.values
  const submit = form.onSubmit((values) => {
    const content = toContent(values)
    if (isNew) create.mutate({ organisation, ...content })
    else change.mutate({ questionId: question.questionId, revision: question.revision, ...content })
  })
  return (
    <form
      noValidate
      onSubmit={(event) => {
        // React events bubble through portals, so a form around this dialog would be submitted as well.
        event.stopPropagation()
        submit(event)
      }}
    >
      <Stack gap="sm">
        {error && <Problem title={say.failed} error={error} />}
        {!isNew && (
          <Text size="sm" c="dimmed">
            {say.editText}
          </Text>
        )}
        <NativeSelect
          label={say.kind}
          disabled={!isNew}
          data={Object.entries(kinds).map(([value, label]) => ({ value, label }))}
          {...form.getInputProps('kind')}
        />
        <Textarea
          label={say.text}
          data-autofocus
          autosize
          minRows={2}
          maxLength={4000}
          {...form.getInputProps('text')}
        />
        {(kind === 'single' || kind === 'multiple') && <OptionFields form={form} />}
        {kind === 'ordering' && <ItemFields form={form} />}
        {kind === 'matching' && <PairFields form={form} />}
        {kind === 'numeric' && (
          <Group grow align="flex-start">
            <NumberField label={say.answer} {...form.getInputProps('answer')} />
            <NumberField
              label={say.tolerance}
              description={say.toleranceHelp}
              min={0}
              {...ORDER}
              {...form.getInputProps('tolerance')}
            />
            <TextInput label={say.unit} maxLength={30} {...form.getInputProps('unit')} />
          </Group>
        )}
        {kind === 'text' && (
          <>
            <Textarea
              label={say.accepted}
              description={say.acceptedHelp}
              autosize
              minRows={2}
              {...ORDER}
              {...form.getInputProps('accepted')}
            />
            <Checkbox label={say.caseSensitive} {...form.getInputProps('caseSensitive', { type: 'checkbox' })} />
          </>
        )}
        {kind === 'essay' && (
          <Textarea
            label={say.guidance}
            description={say.guidanceHelp}
            autosize
            minRows={2}
            maxLength={4000}
            {...ORDER}
            {...form.getInputProps('guidance')}
          />
        )}
        <NumberField label={say.points} min={0.01} max={1000} maw={160} {...form.getInputProps('points')} />
        {kind !== 'essay' && (
          <Textarea
            label={say.explanation}
            description={say.explanationHelp}
            autosize
            maxLength={4000}
            {...ORDER}
            {...form.getInputProps('explanation')}
          />
        )}
        <TextInput label={say.tags} description={say.tagsHelp} {...ORDER} {...form.getInputProps('tags')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={create.isPending || change.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

type Form = UseFormReturnType<QuestionValues, QuestionValues, typeof findFaults>

const Remove = ({ what, onClick }: { readonly what: string; readonly onClick: () => void }) => (
  <ActionIcon variant="subtle" color="gray" size="lg" aria-label={say.remove(what)} onClick={onClick}>
    <CircleMinus size={16} aria-hidden />
  </ActionIcon>
)

interface AddProps {
  readonly label: string
  readonly count: number
  readonly error: unknown
  readonly onAdd: () => void
}
const Add = ({ label, count, error, onAdd }: AddProps) => (
  <Stack gap={4}>
    {typeof error === 'string' && (
      <Text size="sm" c="red" role="alert">
        {error}
      </Text>
    )}
    {count < MAX_PARTS && (
      <Group>
        <Button variant="subtle" size="compact-sm" onClick={onAdd}>
          {label}
        </Button>
      </Group>
    )}
  </Stack>
)

function OptionFields({ form }: { readonly form: Form }) {
  const { kind, options } = form.values
  const mark = (index: number, isCorrect: boolean) =>
    form.setFieldValue(
      'options',
      options.map((option, i) => ({
        ...option,
        correct: i === index ? isCorrect : kind === 'single' && isCorrect ? false : option.correct,
      })),
    )
  return (
    <Fieldset legend={say.options}>
      <Stack gap="xs">
        {options.map((option, i) => (
          <Group key={option.key} wrap="nowrap" gap="xs" align="flex-start">
            <Checkbox
              mt={8}
              aria-label={say.isCorrect(i + 1)}
              checked={option.correct}
              onChange={(event) => mark(i, event.currentTarget.checked)}
            />
            <Stack gap={4} flex={1}>
              <TextInput aria-label={say.option(i + 1)} maxLength={1000} {...form.getInputProps(`options.${i}.text`)} />
              <TextInput
                size="xs"
                aria-label={say.optionFeedback(i + 1)}
                placeholder={say.feedbackHint}
                maxLength={1000}
                {...form.getInputProps(`options.${i}.feedback`)}
              />
            </Stack>
            <Remove what={say.option(i + 1)} onClick={() => form.removeListItem('options', i)} />
          </Group>
        ))}
        <Add
          label={say.addOption}
          count={options.length}
          error={form.errors.options}
          onAdd={() => form.insertListItem('options', { key: newKey(), text: '', correct: false, feedback: '' })}
        />
      </Stack>
    </Fieldset>
  )
}

const ItemFields = ({ form }: { readonly form: Form }) => (
  <Fieldset legend={say.items}>
    <Stack gap="xs">
      {form.values.items.map(({ key }, i) => (
        <Group key={key} wrap="nowrap" gap="xs">
          <TextInput
            flex={1}
            aria-label={say.item(i + 1)}
            maxLength={1000}
            {...form.getInputProps(`items.${i}.text`)}
          />
          <Remove what={say.item(i + 1)} onClick={() => form.removeListItem('items', i)} />
        </Group>
      ))}
      <Add
        label={say.addItem}
        count={form.values.items.length}
        error={form.errors.items}
        onAdd={() => form.insertListItem('items', { key: newKey(), text: '' })}
      />
    </Stack>
  </Fieldset>
)

const PairFields = ({ form }: { readonly form: Form }) => (
  <>
    <Fieldset legend={say.pairs}>
      <Stack gap="xs">
        {form.values.pairs.map(({ key }, i) => (
          <Group key={key} wrap="nowrap" gap="xs">
            <TextInput
              flex={1}
              aria-label={say.prompt(i + 1)}
              placeholder={say.prompt(i + 1)}
              maxLength={1000}
              {...form.getInputProps(`pairs.${i}.prompt`)}
            />
            <TextInput
              flex={1}
              aria-label={say.match(i + 1)}
              placeholder={say.match(i + 1)}
              maxLength={1000}
              {...form.getInputProps(`pairs.${i}.match`)}
            />
            <Remove what={say.prompt(i + 1)} onClick={() => form.removeListItem('pairs', i)} />
          </Group>
        ))}
        <Add
          label={say.addPair}
          count={form.values.pairs.length}
          error={form.errors.pairs}
          onAdd={() => form.insertListItem('pairs', { key: newKey(), prompt: '', match: '' })}
        />
      </Stack>
    </Fieldset>
    <Textarea
      label={say.distractors}
      description={say.distractorsHelp}
      autosize
      {...ORDER}
      {...form.getInputProps('distractors')}
    />
  </>
)
