import { Badge } from '@mantine/core'
import type { Results } from '../../api/operations.ts'
import { Circle, CircleCheck, CircleX, Clock, type IconType, Loader, Lock } from '../../parts/icons.tsx'
import { dashboardWords } from '../words.ts'

export type Result = Results['lessons'][number]['result']

/** Icon and colour of each result. The icon makes the result recognisable without the colour. */
export const RESULT_LOOKS: Record<Result | 'locked', { icon: IconType; color: string }> = {
  PASS: { icon: CircleCheck, color: 'green' },
  FAIL: { icon: CircleX, color: 'red' },
  INCOMPLETE: { icon: Clock, color: 'yellow' },
  'IN PROGRESS': { icon: Loader, color: 'sky' },
  'NOT STARTED': { icon: Circle, color: 'gray' },
  locked: { icon: Lock, color: 'gray' },
}

export function ResultBadge({ result }: { readonly result: Result | 'locked' }) {
  const { icon: Icon, color } = RESULT_LOOKS[result]
  return (
    <Badge color={color} leftSection={<Icon size={13} aria-hidden />}>
      {dashboardWords.results[result]}
    </Badge>
  )
}
