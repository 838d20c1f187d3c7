import { Button, Group, Stack, Text } from '@mantine/core'
import { readResults, startLesson, updateProgress } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Problem } from '../../parts/states.tsx'
import { ResultBadge } from '../progress/result-badge.tsx'
import type { LessonProps } from './lesson-props.ts'
import { lessonWords as say } from './words.ts'

/** Lets a student start an activity outside the platform and mark it as done. The instructor decides the result. */
export function ActivityLesson({ lesson: { lessonId }, classId, result }: LessonProps) {
  const start = useWrite(startLesson, { changes: [readResults] })
  const finish = useWrite(updateProgress, { changes: [readResults] })
  const problem = start.error ?? finish.error
  const isOpen = result?.result === 'IN PROGRESS'
  return (
    <Card title={say.activity}>
      <Stack>
        {problem && <Problem title={say.notSaved} error={problem} />}
        <Text>{say.activityText}</Text>
        {classId !== undefined && result && (
          <Group>
            <ResultBadge result={result.result} />
            {result.attempts > 0 && !isOpen && <Text size="sm">{result.explanation}</Text>}
            {isOpen ? (
              <Button loading={finish.isPending} onClick={() => finish.mutate({ lessonId, classId, complete: true })}>
                {say.markDone}
              </Button>
            ) : (
              result.attemptsLeft !== 0 && (
                <Button
                  variant={result.attempts === 0 ? 'filled' : 'default'}
                  loading={start.isPending}
                  onClick={() => start.mutate({ lessonId, classId })}
                >
                  {result.attempts === 0 ? say.start : say.again}
                </Button>
              )
            )}
          </Group>
        )}
      </Stack>
    </Card>
  )
}
