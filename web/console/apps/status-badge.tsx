import { Badge } from '@mantine/core'
import type { App } from '../../api/operations.ts'
import { Ban, CircleCheck, Clock } from '../../parts/icons.tsx'
import { consoleWords } from '../words.ts'

const LOOKS = {
  pending: { icon: Clock, color: 'yellow' },
  approved: { icon: CircleCheck, color: 'green' },
  suspended: { icon: Ban, color: 'red' },
} as const

export function AppStatusBadge({ status }: Pick<App, 'status'>) {
  const { icon: Icon, color } = LOOKS[status]
  return (
    <Badge color={color} leftSection={<Icon size={13} aria-hidden />}>
      {consoleWords.apps.statuses[status]}
    </Badge>
  )
}
