import { Alert, Group, Stack, Text } from '@mantine/core'
import type { QuizAttempt } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { CircleCheck, CircleX, Clock } from '../../parts/icons.tsx'
import { QuestionView } from './question-view.tsx'
import type { LoadedAttempt } from './use-attempt.ts'
import { quizWords } from './words.ts'

const { review: say } = quizWords

interface OutcomeProps {
  readonly attempt: QuizAttempt
  /** Whether the reader is the student. */
  readonly isOwn: boolean
}

/** Says how an attempt ended. */
export function Outcome({ attempt: { awaitsGrade, pass, score }, isOwn }: OutcomeProps) {
  const [color, Icon, text] = awaitsGrade
    ? (['blue', Clock, isOwn ? say.waiting : say.toGrade] as const)
    : score === null
      ? (['gray', Clock, say.submitted] as const)
      : pass
        ? (['green', CircleCheck, say.passed(score)] as const)
        : (['red', CircleX, isOwn ? say.failed(score) : say.notPassed(score)] as const)
  return (
    <Alert color={color} icon={<Icon size={18} aria-hidden />} role="status">
      {text}
    </Alert>
  )
}

/** Shows a submitted attempt to its student, with as much feedback as the quiz gives. */
export const ReviewQuiz = ({ loaded: { attempt, questions } }: { readonly loaded: LoadedAttempt }) => (
  <Stack>
    <Outcome attempt={attempt} isOwn />
    {questions.map((question) => (
      <Card key={question.questionId}>
        <Stack gap="sm">
          <Group justify="space-between">
            <Text component="h2" size="sm" c="dimmed">
              {quizWords.take.question(question.number, attempt.total)}
            </Text>
          </Group>
          <QuestionView question={question} value={question.response} />
        </Stack>
      </Card>
    ))}
  </Stack>
)
