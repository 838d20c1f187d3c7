import { ActionIcon, Button, Checkbox, Fieldset, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listQuestions } from '../../../api/operations.ts'
import { query } from '../../../api/query.ts'
import { Dialog } from '../../../parts/dialog.tsx'
import { ArrowDown, ArrowUp, CircleMinus } from '../../../parts/icons.tsx'
import { NumberField } from '../../../parts/number-field.tsx'
import { PoolForm } from '../../quizzes/pool-form.tsx'
import { QuestionDialog } from '../../quizzes/question-dialog.tsx'
import { QuestionPicker } from '../../quizzes/question-picker.tsx'
import { quizWords } from '../../quizzes/words.ts'
import type { KindFieldsProps, Step } from './fields-props.ts'

const { fields: say } = quizWords
type Quiz = NonNullable<Step['quiz']>
type Part = Quiz['parts'][number]
type Open = 'pick' | 'pool' | 'create'

/** One line of the list: a question, or a whole pool. Lists of questions become one line for each question. */
const toLines = (parts: readonly Part[]): Part[] =>
  parts.flatMap((part) =>
    part.questions && part.draw === undefined ? part.questions.map((id) => ({ questions: [id] })) : [part],
  )

/** Joins neighbouring single questions into one part. */
function toParts(lines: readonly Part[]): Part[] {
  const parts: Part[] = []
  for (const line of lines) {
    const last = parts.at(-1)
    if (line.questions && line.draw === undefined && last?.questions && last.draw === undefined)
      parts[parts.length - 1] = { questions: [...last.questions, ...line.questions] }
    else parts.push(line)
  }
  return parts
}

/** The questions and the rules of a quiz. */
export function QuizFields({ course: { organisation }, lesson, onChange, errors }: KindFieldsProps) {
  const [open, setOpen] = useState<Open>()
  const quiz: Quiz = lesson.quiz ?? { parts: [] }
  const lines = toLines(quiz.parts)
  const taken = lines.flatMap(({ questions = [] }) => questions)
  const named = useQuery({
    ...query(listQuestions, { organisation, questions: taken.slice(0, 100), limit: 100 }),
    enabled: taken.length > 0,
    placeholderData: (before) => before,
  })
  const change = (changes: Partial<Quiz>) => {
    const next = { ...quiz, ...changes }
    onChange({ quiz: Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as Quiz })
  }
  const setLines = (next: readonly Part[]) => change({ parts: toParts(next) })
  const add = (...added: readonly Part[]) => {
    setLines([...lines, ...added])
    setOpen(undefined)
  }
  const textOf = (id: string) => named.data?.docs.find(({ questionId }) => questionId === id)?.summary ?? say.unknown
  const nameOf = ({ questions = [], tag, draw }: Part): string => {
    if (tag !== undefined) return draw === undefined ? say.allTagged(tag) : say.pool(draw, say.tagged(tag))
    return draw === undefined ? textOf(questions[0]!) : say.pool(draw, say.list(questions.length))
  }
  const move = (from: number, to: number) => {
    const moved = [...lines]
    moved.splice(to, 0, ...moved.splice(from, 1))
    setLines(moved)
  }
  return (
    <Fieldset legend={say.questions}>
      <Stack gap="sm">
        {errors.quiz && (
          <Text size="sm" c="red" role="alert">
            {errors.quiz}
          </Text>
        )}
        {lines.length === 0 && (
          <Text size="sm" c="dimmed">
            {say.none}
          </Text>
        )}
        <Stack gap={4} component="ol" m={0} p={0} style={{ listStyle: 'none' }}>
          {lines.map((line, i) => {
            const name = nameOf(line)
            return (
              <Group key={JSON.stringify(line)} component="li" wrap="nowrap" gap={4}>
                <Text size="sm" flex={1} lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
                  {i + 1}. {name}
                </Text>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={say.up(name)}
                  disabled={i === 0}
                  onClick={() => move(i, i - 1)}
                >
                  <ArrowUp size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={say.down(name)}
                  disabled={i === lines.length - 1}
                  onClick={() => move(i, i + 1)}
                >
                  <ArrowDown size={16} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={say.remove(name)}
                  onClick={() => setLines(lines.filter((_, n) => n !== i))}
                >
                  <CircleMinus size={16} aria-hidden />
                </ActionIcon>
              </Group>
            )
          })}
        </Stack>
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => setOpen('pick')}>
            {say.add}
          </Button>
          <Button size="xs" variant="default" onClick={() => setOpen('pool')}>
            {say.addPool}
          </Button>
          <Button size="xs" variant="default" onClick={() => setOpen('create')}>
            {say.create}
          </Button>
        </Group>
        <Group grow align="flex-start">
          <NumberField
            label={say.timeLimit}
            description={say.timeLimitHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            min={1}
            value={quiz.timeLimit ?? ''}
            onChange={(minutes) => change({ timeLimit: minutes === '' ? undefined : minutes } as Partial<Quiz>)}
          />
          <NativeSelect
            label={say.feedback}
            value={quiz.feedback ?? 'end'}
            data={Object.entries(say.feedbacks).map(([value, label]) => ({ value, label }))}
            onChange={(event) => change({ feedback: event.currentTarget.value as NonNullable<Quiz['feedback']> })}
          />
        </Group>
        <Checkbox
          label={say.shuffleQuestions}
          checked={quiz.shuffleQuestions ?? false}
          onChange={(event) => change({ shuffleQuestions: event.currentTarget.checked })}
        />
        <Checkbox
          label={say.shuffleAnswers}
          checked={quiz.shuffleAnswers ?? false}
          onChange={(event) => change({ shuffleAnswers: event.currentTarget.checked })}
        />
        <Text size="xs" c="dimmed">
          {say.percent}
        </Text>
      </Stack>
      <Dialog isOpen={open === 'pick'} onClose={() => setOpen(undefined)} title={say.pick}>
        <QuestionPicker
          organisation={organisation}
          taken={taken}
          onPick={(picked) => add(...picked.map(({ questionId }) => ({ questions: [questionId] })))}
          onClose={() => setOpen(undefined)}
        />
      </Dialog>
      <Dialog isOpen={open === 'pool'} onClose={() => setOpen(undefined)} title={say.addPool}>
        <PoolForm organisation={organisation} onAdd={(part) => add(part)} onClose={() => setOpen(undefined)} />
      </Dialog>
      <QuestionDialog
        organisation={organisation}
        isOpen={open === 'create'}
        onSaved={({ questionId }) => add({ questions: [questionId] })}
        onClose={() => setOpen(undefined)}
      />
    </Fieldset>
  )
}
