import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { accountWords } from '../words.ts'
import { checkProof, ProofField, proofOf } from './proof-field.tsx'

const { security: say } = accountWords

interface EmailFormProps {
  readonly email: string
  /** Whether this is the person's own address and not a child's; only then may the browser fill it in. */
  readonly isOwn?: boolean
  readonly help: string
  readonly hasPassword: boolean
  readonly change: { readonly error: Error | null; readonly isPending: boolean }
  readonly onChange: (what: { email: string; password?: string }) => void
}

/** A form that changes the e-mail address of the person or of a child. */
export function EmailForm({ email, isOwn = false, help, hasPassword, change, onChange }: EmailFormProps) {
  const form = useForm({ initialValues: { email, password: '' }, validate: { password: checkProof(hasPassword) } })
  useUnsaved(() => form.values.email.trim() !== email)
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ email, password }) => onChange({ email: email.trim(), ...proofOf(password) }))}
    >
      <Stack>
        {change.error && <Problem title={say.emailFailed} error={change.error} />}
        <TextInput
          label={say.newEmail}
          description={help}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          type="email"
          autoComplete={isOwn ? 'email' : 'off'}
          maxLength={254}
          spellCheck={false}
          {...form.getInputProps('email')}
        />
        <ProofField form={form} hasPassword={hasPassword} />
        <Group>
          <Button type="submit" variant="default" loading={change.isPending}>
            {say.changeEmail}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
