import { Badge } from '@mantine/core'
import { Ban, Check, Clock, Mail, MailX } from './icons.tsx'
import { personStatuses } from './person-status-words.ts'

const LOOKS = {
  active: ['green', Check],
  invited: ['sky', Mail],
  expired: ['yellow', MailX],
  uninvited: ['gray', Clock],
  disabled: ['red', Ban],
} as const

/** The status of an account: icon and word. */
export const PersonStatus = ({ status }: { readonly status: keyof typeof personStatuses }) => {
  const [color, Icon] = LOOKS[status]
  return (
    <Badge color={color} leftSection={<Icon size={12} aria-hidden />}>
      {personStatuses[status]}
    </Badge>
  )
}
