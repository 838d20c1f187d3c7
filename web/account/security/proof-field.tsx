import { PasswordInput, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { accountWords } from '../words.ts'

const { fields: say } = accountWords

/**
 * Asks for the password again, because somebody else may be using a browser that was left open. People without a
 * password need a recent sign-in instead.
 */
export function ProofField<T extends { password: string }>({
  form,
  hasPassword,
}: {
  // biome-ignore lint/suspicious/noExplicitAny: forms have as many types of values as there are
  readonly form: UseFormReturnType<T, any>
  readonly hasPassword: boolean
}) {
  if (!hasPassword)
    return (
      <Text size="sm" c="dimmed">
        {say.noPasswordHelp}
      </Text>
    )
  return (
    <PasswordInput
      label={say.ownPassword}
      autoComplete="current-password"
      maxLength={1000}
      {...form.getInputProps('password')}
    />
  )
}

/**
 * Returns the password as a field of a request. An empty password is not sent, because it would count as a failed
 * attempt.
 */
export const proofOf = (password: string): { password?: string } => (password === '' ? {} : { password })

export const checkProof =
  (hasPassword: boolean) =>
  (password: string): string | null =>
    hasPassword && password === '' ? say.missingPassword : null

export const checkNewPassword = (password: string): string | null => (password.length < 8 ? say.shortPassword : null)
