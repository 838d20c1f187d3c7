import { Alert, Stack, Text } from '@mantine/core'
import { Clock } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { RefusedEvaluation } from './refused-evaluation.tsx'
import { useOutbox } from './use-outbox.ts'
import { evaluationWords as say } from './words.ts'

interface UnsentProps {
  readonly person: string
  readonly classId: string
  readonly lessonIds: readonly string[]
}

/** Sends what was saved on this device at an earlier visit, and says so until it has arrived; also what was refused. */
export const UnsentEvaluations = ({ person, classId, lessonIds }: UnsentProps) => (
  <Stack gap="xs" mb="sm">
    {lessonIds.map((lessonId) => (
      <UnsentOfLesson key={lessonId} person={person} classId={classId} lessonId={lessonId} />
    ))}
  </Stack>
)

function UnsentOfLesson({ person, classId, lessonId }: Omit<UnsentProps, 'lessonIds'> & { lessonId: string }) {
  const { outbox, takeBack } = useOutbox(person, classId, lessonId)
  const count = outbox.waiting.filter(({ error }) => error === undefined).length
  return (
    <>
      {count > 0 && (
        <Alert color="yellow" icon={<Clock size={18} aria-hidden />} title={say.onDeviceTitle} role="status">
          <Text size="sm">{say.onDevice(count)}</Text>
        </Alert>
      )}
      {outbox.waiting
        .filter(({ error }) => error !== undefined)
        .map((one) => (
          <RefusedEvaluation key={one.evaluationId} waiting={one} onDiscard={() => takeBack(one)}>
            <ButtonLink
              size="xs"
              variant="default"
              to="/dashboard/classes/$classId/lessons/$lessonId/evaluate"
              params={{ classId, lessonId }}
              search={{ students: [one.studentId] }}
              aria-label={say.openOf(one.name)}
            >
              {say.open}
            </ButtonLink>
          </RefusedEvaluation>
        ))}
    </>
  )
}
