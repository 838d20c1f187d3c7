import { Checkbox, Stack } from '@mantine/core'
import type { Passkey } from '../../api/operations.ts'
import { accountWords } from '../words.ts'

const { fields: say } = accountWords

interface PasskeyBoxesProps {
  readonly passkeys: readonly Passkey[]
  readonly value?: string[]
  readonly onChange?: (ids: string[]) => void
}

/**
 * Lets the person choose passkeys to remove when the password changes. A new password ends all sessions, but passkeys
 * that are not removed can still be used to sign in.
 */
export const PasskeyBoxes = ({ passkeys, ...group }: PasskeyBoxesProps) =>
  passkeys.length > 0 && (
    <Checkbox.Group label={say.keepPasskeys} {...group}>
      <Stack gap="xs" mt="xs">
        {passkeys.map(({ passkeyId, name }) => (
          <Checkbox key={passkeyId} value={passkeyId} label={say.removePasskey(name)} />
        ))}
      </Stack>
    </Checkbox.Group>
  )
