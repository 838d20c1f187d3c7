import { Alert, Button, Group, Stack, Text, UnstyledButton } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import {
  listAttempts,
  type QuizAttempt,
  type QuizQuestion,
  readQuizAttempt,
  readResults,
  saveQuizAnswer,
  submitQuiz,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { useAutosave } from './autosave.ts'
import { Countdown } from './countdown.tsx'
import { QuestionView } from './question-view.tsx'
import classes from './quiz.module.css'
import { quizWords } from './words.ts'

const { take: say } = quizWords
const TYPED: readonly QuizQuestion['kind'][] = ['numeric', 'text', 'essay']
const isBlank = (value: unknown): boolean => value === null || value === undefined || value === ''

/** Lets a student answer an open quiz: one question at a time, saved as they go. */
export function RunQuiz({
  attempt,
  questions,
}: {
  readonly attempt: QuizAttempt
  readonly questions: readonly QuizQuestion[]
}) {
  const { lessonResultId } = attempt
  const [index, setIndex] = useState(0)
  const [responses, setResponses] = useState(() => new Map(questions.map((one) => [one.questionId, one.response])))
  const [checked, setChecked] = useState(
    () => new Map(questions.filter(({ final }) => final).map((one) => [one.questionId, one])),
  )
  const [isSubmitting, setSubmitting] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const { save, flush, state, error, hasUnsaved } = useAutosave(lessonResultId)
  useUnsaved(hasUnsaved)
  const submit = useWrite(submitQuiz, {
    changes: [readQuizAttempt, readResults, listAttempts],
  })
  const check = useWrite(saveQuizAnswer, { onDone: (one) => setChecked(new Map(checked).set(one.questionId, one)) })
  const goOn = async ({ isOver = false } = {}) => {
    await flush()
    // An answer that is not saved yet would be lost. Once the time is over, the platform would not take it anyway.
    if (hasUnsaved() && !isOver) setSubmitting(false)
    else submit.mutate({ lessonResultId })
  }
  const goTo = (to: number) => {
    setIndex(to)
    void flush()
    requestAnimationFrame(() => heading.current?.focus())
  }
  const question = questions[index]!
  const shown = checked.get(question.questionId) ?? question
  const missing = questions.filter(({ questionId }) => isBlank(responses.get(questionId))).length
  useEffect(() => {
    const leave = () => void flush()
    document.addEventListener('visibilitychange', leave)
    return () => document.removeEventListener('visibilitychange', leave)
  }, [flush])
  return (
    <Stack>
      <Group justify="space-between" gap="sm" className={classes.bar!}>
        <Text size="sm" c={state === 'waiting' ? 'red' : 'dimmed'} role="status">
          {{ saved: say.saved, saving: say.saving, waiting: say.unsaved }[state]}
        </Text>
        {attempt.deadline && (
          <Countdown deadline={attempt.deadline} now={attempt.now} onOver={() => void goOn({ isOver: true })} />
        )}
      </Group>
      {error && state !== 'waiting' && <Problem title={say.saveFailed} error={error} />}
      {submit.error && <Problem title={say.submitFailed} error={submit.error} onRetry={() => void goOn()} />}
      <nav aria-label={say.navigator} className={classes.navigator}>
        {questions.map(({ questionId, number }, i) => {
          const isAnswered = !isBlank(responses.get(questionId))
          return (
            <UnstyledButton
              key={questionId}
              className={classes.number!}
              data-answered={isAnswered || undefined}
              aria-current={i === index ? 'step' : undefined}
              aria-label={say.goTo(number, isAnswered ? say.answered : say.unanswered)}
              onClick={() => goTo(i)}
            >
              {number}
            </UnstyledButton>
          )
        })}
      </nav>
      <Card>
        <Stack gap="lg">
          <Group justify="space-between">
            <Text component="h2" size="sm" c="dimmed" tabIndex={-1} ref={heading} className={classes.heading!}>
              {say.question(question.number, questions.length)}
            </Text>
            <Text size="sm" c="dimmed">
              {quizWords.points(question.maxPoints)}
            </Text>
          </Group>
          {check.error && <Problem title={say.saveFailed} error={check.error} />}
          <QuestionView
            key={question.questionId}
            question={shown}
            value={shown.final ? shown.response : responses.get(question.questionId)}
            {...(!shown.final && {
              onChange: (value: unknown) => {
                setResponses(new Map(responses).set(question.questionId, value))
                save(question.questionId, value, TYPED.includes(question.kind))
              },
            })}
          />
          {attempt.feedback === 'answer' && !shown.final && (
            <Group>
              <Button
                variant="light"
                loading={check.isPending}
                disabled={isBlank(responses.get(question.questionId))}
                onClick={async () => {
                  await flush()
                  check.mutate({
                    lessonResultId,
                    questionId: question.questionId,
                    response: responses.get(question.questionId),
                    final: true,
                  })
                }}
              >
                {say.check}
              </Button>
            </Group>
          )}
        </Stack>
      </Card>
      <Group justify="space-between">
        <Button variant="default" disabled={index === 0} onClick={() => goTo(index - 1)}>
          {say.previous}
        </Button>
        <Group gap="sm">
          {index < questions.length - 1 && (
            <Button variant="default" onClick={() => goTo(index + 1)}>
              {say.next}
            </Button>
          )}
          <Button loading={submit.isPending} onClick={() => setSubmitting(true)}>
            {say.submit}
          </Button>
        </Group>
      </Group>
      <Confirm
        isOpen={isSubmitting}
        title={say.submitTitle}
        go={say.submit}
        isHarmless
        isPending={submit.isPending}
        error={submit.error}
        onClose={() => setSubmitting(false)}
        onGo={() => void goOn()}
      >
        {missing === 0 ? say.submitAll : <Alert color="yellow">{say.submitSome(missing)}</Alert>}
      </Confirm>
    </Stack>
  )
}
