import { Alert, Group, Stack, Text } from '@mantine/core'
import type { QuizAttempt } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { CircleCheck, CircleX, Clock } from '../../parts/icons.tsx'
import { QuestionView } from './question-view.tsx'
import type { LoadedAttempt } from './use-attempt.ts'
import { quizWords } from './words.ts'

const { review: say } = quizWords

/** Says how an attempt ended. */
export function Outcome({ attempt: { awaitsGrade, pass, score } }: { readonly attempt: QuizAttempt }) {
  const [color, Icon, text] = awaitsGrade
    ? (['blue', Clock, say.waiting] as const)
    : score === null
      ? (['gray', Clock, say.submitted] as const)
      : pass
        ? (['green', CircleCheck, say.passed(score)] as const)
        : (['red', CircleX, say.failed(score)] as const)
  return (
    <Alert color={color} icon={<Icon size={18} aria-hidden />} role="status">
      {text}
    </Alert>
  )
}

/** Shows a submitted attempt to its student, with as much feedback as the quiz gives. */
export const ReviewQuiz = ({ loaded: { attempt, questions } }: { readonly loaded: LoadedAttempt }) => (
  <Stack>
    <Outcome attempt={attempt} />
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
