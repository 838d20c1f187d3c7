import type { FoundPerson } from '../../api/operations.ts'
import { adminWords } from '../words.ts'

const { people: say } = adminWords

export const sayRoles = ({ administrator, developer }: Pick<FoundPerson, 'administrator' | 'developer'>): string =>
  [administrator && say.roles.administrator, developer && say.roles.developer].filter(Boolean).join(', ')
