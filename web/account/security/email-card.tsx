import { Stack, Text } from '@mantine/core'
import { changeEmail, readSettings, type Settings } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { notify } from '../../parts/notify.tsx'
import { accountWords } from '../words.ts'
import { EmailForm } from './email-form.tsx'

const { security: say } = accountWords

/**
 * Lets the person change their e-mail address. It belongs to security, because links to reset the password are sent
 * there.
 */
export function EmailCard({ person: { email, may, hasPassword } }: { readonly person: Settings }) {
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
          {may.changeEmail ? email !== '' && say.emailText : say.emailParent}
        </Text>
        {may.changeEmail && (
          <EmailForm
            email={email}
            isOwn
            help={say.newEmailHelp}
            hasPassword={hasPassword}
            change={change}
            onChange={change.mutate}
          />
        )}
      </Stack>
    </Card>
  )
}
