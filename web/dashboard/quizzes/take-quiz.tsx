import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  type LessonDetails,
  listAttempts,
  type Results,
  readQuizAttempt,
  readResults,
  startQuiz,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Loaded, Problem } from '../../parts/states.tsx'
import { QuizRules } from './quiz-rules.tsx'
import { ReviewQuiz } from './review-quiz.tsx'
import { RunQuiz } from './run-quiz.tsx'
import { useAttempt } from './use-attempt.ts'
import { quizWords } from './words.ts'

const { take: say } = quizWords

interface TakeQuizProps {
  readonly lesson: LessonDetails
  readonly classId: string
  readonly result: Results['lessons'][number]
}

/** The quiz of a student: the rules and a button to start, the open attempt, or the last one with its feedback. */
export function TakeQuiz({ lesson, classId, result }: TakeQuizProps) {
  const [started, setStarted] = useState<string>()
  const id = started ?? result.lessonResultId
  const loaded = useAttempt(id)
  const start = useWrite(startQuiz, {
    changes: [readResults, readQuizAttempt, listAttempts],
    onDone: ({ lessonResultId }) => setStarted(lessonResultId),
  })
  const begin = (label: string) => (
    <Group>
      <Button loading={start.isPending} onClick={() => start.mutate({ lessonId: lesson.lessonId, classId })}>
        {label}
      </Button>
      {result.attemptsLeft !== null && (
        <Text size="sm" c="dimmed">
          {say.left(result.attemptsLeft)}
        </Text>
      )}
    </Group>
  )
  const mayStart = result.attemptsLeft === null || result.attemptsLeft > 0
  if (id === null)
    return (
      <Stack>
        <QuizRules lesson={lesson} />
        {start.error && <Problem title={say.startFailed} error={start.error} />}
        {mayStart ? begin(say.start) : <Text>{say.noneLeft}</Text>}
      </Stack>
    )
  return (
    <Loaded query={loaded} lines={6}>
      {(found) =>
        found.attempt.submitted === null ? (
          <RunQuiz key={found.attempt.lessonResultId} attempt={found.attempt} questions={found.questions} />
        ) : (
          <Stack>
            {start.error && <Problem title={say.startFailed} error={start.error} />}
            <ReviewQuiz loaded={found} />
            {mayStart ? begin(say.again) : <Text>{say.noneLeft}</Text>}
          </Stack>
        )
      }
    </Loaded>
  )
}
