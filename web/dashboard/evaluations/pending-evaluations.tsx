import { Alert, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listEvaluations } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { ClipboardCheck } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { Time } from '../../parts/time.tsx'
import { evaluationWords as say } from './words.ts'

/** Lists the evaluations that the student has not acknowledged yet. */
export function PendingEvaluations({ classId }: { readonly classId: string }) {
  const { data } = useQuery(query(listEvaluations, { classId, acknowledged: false, limit: 10 }))
  if (!data || data.total === 0) return null
  return (
    <Alert color="yellow" icon={<ClipboardCheck size={18} aria-hidden />} title={say.pending(data.total)}>
      <Stack gap="xs">
        {data.docs.map(({ evaluationId, lessonId, lessonName, recorded }) => (
          <Group key={evaluationId} justify="space-between" wrap="nowrap">
            <Text size="sm">
              {lessonName} · <Time at={recorded} />
            </Text>
            <ButtonLink
              size="xs"
              to="/dashboard/classes/$classId/lessons/$lessonId"
              params={{ classId, lessonId }}
              aria-label={say.readOf(lessonName)}
            >
              {say.read}
            </ButtonLink>
          </Group>
        ))}
      </Stack>
    </Alert>
  )
}
