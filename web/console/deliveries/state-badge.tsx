import { Badge } from '@mantine/core'
import type { Delivery } from '../../api/operations.ts'
import { CircleCheck, CircleX, Clock, Replace } from '../../parts/icons.tsx'
import { consoleWords } from '../words.ts'

const LOOKS = {
  waiting: { icon: Clock, color: 'sky' },
  delivered: { icon: CircleCheck, color: 'green' },
  failed: { icon: CircleX, color: 'red' },
  replaced: { icon: Replace, color: 'gray' },
} as const

export function DeliveryBadge({ state }: Pick<Delivery, 'state'>) {
  const { icon: Icon, color } = LOOKS[state]
  return (
    <Badge color={color} leftSection={<Icon size={13} aria-hidden />}>
      {consoleWords.deliveries.states[state]}
    </Badge>
  )
}
