import { Alert, Stack, Text } from '@mantine/core'
import { Clock } from '../../parts/icons.tsx'
import { useOutbox } from './use-outbox.ts'
import { evaluationWords as say } from './words.ts'

interface UnsentProps {
  readonly person: string
  readonly classId: string
  readonly lessonIds: readonly string[]
}

/** Sends what was saved on this device at an earlier visit, and says so until it has arrived. */
export const UnsentEvaluations = ({ person, classId, lessonIds }: UnsentProps) => (
  <Stack gap="xs" mb="sm">
    {lessonIds.map((lessonId) => (
      <UnsentOfLesson key={lessonId} person={person} classId={classId} lessonId={lessonId} />
    ))}
  </Stack>
)

function UnsentOfLesson({ person, classId, lessonId }: Omit<UnsentProps, 'lessonIds'> & { lessonId: string }) {
  const { outbox } = useOutbox(person, classId, lessonId)
  const count = outbox.waiting.filter(({ error }) => error === undefined).length
  if (count === 0) return null
  return (
    <Alert color="yellow" icon={<Clock size={18} aria-hidden />} title={say.onDeviceTitle} role="status">
      <Text size="sm">{say.onDevice(count)}</Text>
    </Alert>
  )
}
