import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { changeEmail, readSettings, type Settings } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Card } from '../parts/card.tsx'
import { notify } from '../parts/notify.tsx'
import { Problem } from '../parts/states.tsx'
import { accountWords } from '../words/account.ts'
import { checkProof, ProofField, proofOf } from './proof-field.tsx'

const { security: say } = accountWords

/** Links for a new password go to this address too, so it belongs to security. */
export function EmailCard({ person: { email, userType, hasPassword } }: { readonly person: Settings }) {
  const form = useForm({
    initialValues: { email, password: '' },
    validate: { password: checkProof(hasPassword) },
  })
  const change = useWrite(changeEmail, { changes: [readSettings], onDone: () => notify(say.emailChanged) })
  return (
    <Card title={say.email}>
      <Stack>
        <Text size="sm">
          {email === '' ? (
            say.noEmail
          ) : (
            <>
              {say.emailOf} <strong>{email}</strong>.
            </>
          )}{' '}
          {userType === 'child' ? say.emailParent : email !== '' && say.emailText}
        </Text>
        {userType !== 'child' && (
          <form
            noValidate
            onSubmit={form.onSubmit(({ email, password }) =>
              change.mutate({ email: email.trim(), ...proofOf(password) }),
            )}
          >
            <Stack>
              {change.error && <Problem error={change.error} />}
              <TextInput
                label={say.newEmail}
                description={say.newEmailHelp}
                inputWrapperOrder={['label', 'input', 'description', 'error']}
                type="email"
                autoComplete="email"
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
        )}
      </Stack>
    </Card>
  )
}
