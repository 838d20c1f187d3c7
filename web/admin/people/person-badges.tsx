import { Badge } from '@mantine/core'
import type { FoundPerson } from '../../api/operations.ts'
import { Ban, Check } from '../../parts/icons.tsx'
import { adminWords } from '../words.ts'

const { people: say } = adminWords

export const PersonStatus = ({ status }: Pick<FoundPerson, 'status'>) => {
  const Icon = status === 'active' ? Check : Ban
  return (
    <Badge color={status === 'active' ? 'green' : 'red'} leftSection={<Icon size={12} aria-hidden />}>
      {say.statuses[status]}
    </Badge>
  )
}

export const sayRoles = ({ administrator, developer }: Pick<FoundPerson, 'administrator' | 'developer'>): string =>
  [administrator && say.roles.administrator, developer && say.roles.developer].filter(Boolean).join(', ')
