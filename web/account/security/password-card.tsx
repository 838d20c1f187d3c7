import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { changePassword, listOwnApps, listOwnBrowsers, listPasskeys, type Settings } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { accountWords } from '../words.ts'
import { PasskeyBoxes } from './passkey-boxes.tsx'
import { checkNewPassword, checkProof } from './proof-field.tsx'

const { security: say, fields } = accountWords

export function PasswordCard({ person }: { readonly person: Settings }) {
  const passkeys = useQuery(query(listPasskeys, {}))
  const form = useForm({
    initialValues: { password: '', newPassword: '', removePasskeys: [] as string[] },
    validate: { password: checkProof(true), newPassword: checkNewPassword },
  })
  const change = useWrite(changePassword, {
    changes: [listPasskeys, listOwnApps, listOwnBrowsers],
    onDone: () => {
      form.reset()
      notify(say.passwordChanged)
    },
  })
  useUnsaved(() => form.isDirty('newPassword'))
  if (!person.hasPassword)
    return (
      <Card title={say.password}>
        <Text size="sm">
          {say.noPassword} <Anchor href="/account/reset">{say.noPasswordLink}</Anchor>
        </Text>
      </Card>
    )
  return (
    <Card title={say.password}>
      <form noValidate onSubmit={form.onSubmit((values) => change.mutate(values))}>
        <Stack>
          {change.error && <Problem title={say.passwordFailed} error={change.error} />}
          <Text size="sm" c="dimmed">
            {say.passwordText}
          </Text>
          {/* For password managers, which save a password together with its user name. */}
          <TextInput label={fields.handle} value={person.handle} autoComplete="username" readOnly />
          <PasswordInput
            label={say.current}
            autoComplete="current-password"
            maxLength={1000}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label={fields.newPassword}
            description={fields.newPasswordHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="new-password"
            maxLength={1000}
            {...form.getInputProps('newPassword')}
          />
          <PasskeyBoxes passkeys={passkeys.data ?? []} {...form.getInputProps('removePasskeys')} />
          <Group>
            <Button type="submit" loading={change.isPending}>
              {say.changePassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
