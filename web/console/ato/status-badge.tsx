import { Badge } from '@mantine/core'
import type { AtoRequestEntry } from '../../api/operations.ts'
import { Ban, CircleAlert, CircleCheck, CircleDashed, CircleDot, Eye } from '../../parts/icons.tsx'
import { consoleWords } from '../words.ts'

const { ato: say } = consoleWords
const LOOKS = {
  'not-started': { icon: CircleDashed, color: 'gray' },
  'in-progress': { icon: CircleDot, color: 'sky' },
  'action-required': { icon: CircleAlert, color: 'yellow' },
  'under-review': { icon: Eye, color: 'sky' },
  completed: { icon: CircleCheck, color: 'green' },
} as const

export function AtoStatusBadge({ request }: { readonly request: Pick<AtoRequestEntry, 'status' | 'cancelledDate'> }) {
  const isCancelled = request.cancelledDate !== null
  const { icon: Icon, color } = isCancelled ? { icon: Ban, color: 'gray' } : LOOKS[request.status]
  return (
    <Badge color={color} leftSection={<Icon size={13} aria-hidden />}>
      {isCancelled ? say.cancelled : say.statuses[request.status]}
    </Badge>
  )
}
