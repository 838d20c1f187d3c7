import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  gradeQuizAnswer,
  listAttempts,
  listAwaiting,
  listStudents,
  type QuizAttempt,
  type QuizQuestion,
  readGradebook,
  readLessonContent,
  readQuizAttempt,
  readQuizResults,
  readResults,
  readTimeline,
  submitQuiz,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { useClass } from '../classes/class-frame.tsx'
import { QuestionView } from './question-view.tsx'
import { Outcome } from './review-quiz.tsx'
import { useAttempt } from './use-attempt.ts'
import { quizWords } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/quizzes/$lessonResultId')
const { grade: say } = quizWords
const CHANGES = [readQuizAttempt, listAwaiting, readResults, readGradebook, readTimeline, listAttempts, readQuizResults]

/** Shows staff the answers of an attempt, and lets instructors grade them. */
export function QuizAttemptPage() {
  const { may } = useClass()
  const { lessonResultId } = route.useParams()
  const loaded = useAttempt(lessonResultId)
  return (
    <Loaded query={loaded} lines={8}>
      {({ attempt, questions }) => (
        <>
          <Head attempt={attempt} />
          <Stack>
            {attempt.submitted === null ? (
              <OpenAttempt lessonResultId={lessonResultId} maySubmit={may.grade} />
            ) : (
              <Outcome attempt={attempt} isOwn={false} />
            )}
            {questions.map((question) => (
              <Card key={question.questionId}>
                <Stack gap="sm">
                  <Text component="h2" size="sm" c="dimmed">
                    {quizWords.take.question(question.number, attempt.total)}
                  </Text>
                  <QuestionView question={question} value={question.response} />
                  {question.guidance && (
                    <Text size="sm" c="dimmed" style={{ whiteSpace: 'pre-wrap' }}>
                      {quizWords.review.guidance}: {question.guidance}
                    </Text>
                  )}
                  {may.grade && attempt.submitted !== null && (
                    <GradeAnswer question={question} lessonResultId={lessonResultId} />
                  )}
                </Stack>
              </Card>
            ))}
          </Stack>
        </>
      )}
    </Loaded>
  )
}

/** Names the student and the lesson. */
function Head({ attempt }: { readonly attempt: QuizAttempt }) {
  const { classId, lessonId, studentId } = attempt
  const students = useQuery(query(listStudents, { classId, studentId }))
  const lesson = useQuery(query(readLessonContent, { classId, lessonId }))
  const student = students.data?.docs[0]
  return (
    <PageHead
      title={lesson.data?.name ?? say.title}
      lead={
        <>
          {student && (
            <>
              <TextLink to="/dashboard/classes/$classId/students/$studentId" params={{ classId, studentId }}>
                {student.name || student.handle}
              </TextLink>
              {' · '}
            </>
          )}
          <Time at={attempt.submitted ?? attempt.started} />
        </>
      }
      above={
        <TextLink
          size="sm"
          to="/dashboard/classes/$classId/lessons/$lessonId"
          params={{ classId, lessonId: attempt.lessonId }}
        >
          {say.back}
        </TextLink>
      }
    />
  )
}

function OpenAttempt({ lessonResultId, maySubmit }: { readonly lessonResultId: string; readonly maySubmit: boolean }) {
  const [isAsking, setAsking] = useState(false)
  const submit = useWrite(submitQuiz, { changes: CHANGES, onDone: () => setAsking(false) })
  return (
    <Alert color="blue">
      <Group justify="space-between">
        {say.open}
        {maySubmit && (
          <Button size="xs" variant="default" onClick={() => setAsking(true)}>
            {say.submit}
          </Button>
        )}
      </Group>
      <Confirm
        isOpen={isAsking}
        title={quizWords.take.submitTitle}
        go={say.submit}
        isPending={submit.isPending}
        error={submit.error}
        onClose={() => setAsking(false)}
        onGo={() => submit.mutate({ lessonResultId })}
      >
        {say.submitText}
      </Confirm>
    </Alert>
  )
}

/** The form to grade an answer. It is open for answers that wait for a grade, and folded for others. */
function GradeAnswer({
  question,
  lessonResultId,
}: {
  readonly question: QuizQuestion
  readonly lessonResultId: string
}) {
  const [isOpen, setOpen] = useState(question.feedback?.points === null)
  return isOpen ? (
    <GradeForm question={question} lessonResultId={lessonResultId} onClose={() => setOpen(false)} />
  ) : (
    <Group>
      <Button size="xs" variant="default" onClick={() => setOpen(true)}>
        {say.change}
      </Button>
    </Group>
  )
}

interface GradeFormProps {
  readonly question: QuizQuestion
  readonly lessonResultId: string
  readonly onClose: () => void
}

function GradeForm({ question, lessonResultId, onClose }: GradeFormProps) {
  const { questionId, maxPoints, graded, feedback } = question
  const form = useForm({
    initialValues: { points: (feedback?.points ?? '') as number | string, remark: graded?.remark ?? '' },
    validate: {
      points: (value) =>
        value === '' || Number(value) < 0 || Number(value) > maxPoints ? say.missing(maxPoints) : null,
    },
  })
  useUnsaved(() => form.isDirty())
  const grade = useWrite(gradeQuizAnswer, {
    changes: CHANGES,
    onDone: () => {
      notify(say.saved)
      form.resetDirty()
      onClose()
    },
  })
  const submit = form.onSubmit(({ points, remark }) =>
    grade.mutate({ lessonResultId, questionId, points: Number(points), remark }),
  )
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {grade.error && <Problem title={say.failed} error={grade.error} />}
        <NumberField
          label={`${say.points} (0–${maxPoints})`}
          min={0}
          max={maxPoints}
          maw={160}
          {...form.getInputProps('points')}
        />
        <Textarea
          label={say.remark}
          description={say.remarkHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autosize
          minRows={2}
          maxLength={4000}
          {...form.getInputProps('remark')}
        />
        <Group>
          <Button type="submit" loading={grade.isPending}>
            {say.save}
          </Button>
          {feedback?.points != null && (
            <Button variant="default" onClick={onClose}>
              {words.form.cancel}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}
