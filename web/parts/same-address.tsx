import { Checkbox } from '@mantine/core'
import { ApiProblem } from '../api/call.ts'
import { personWords as say } from './person-words.ts'

const CONFLICT = 4091

interface SameAddressProps {
  /** The error of the form. The field appears once the address was refused. */
  readonly error: Error | null
  readonly isAllowed: boolean
  readonly onChange: (isAllowed: boolean) => void
}

/** Lets an administrator give two accounts one address, such as those of a parent and a child. */
export const SameAddress = ({ error, isAllowed, onChange }: SameAddressProps) =>
  isAllowed || (error instanceof ApiProblem && error.code === CONFLICT) ? (
    <Checkbox
      label={say.allowSameAddress}
      checked={isAllowed}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  ) : null
