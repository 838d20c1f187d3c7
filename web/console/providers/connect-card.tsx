import { Button, Group, Input, PasswordInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type Provider, readProvider, setProvider } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { providerWords as say } from './provider-words.ts'

const valuesOf = ({ issuer, clientId, createsAccounts }: Provider) => ({
  issuer: issuer ?? '',
  clientId: clientId ?? '',
  clientSecret: '',
  createsAccounts,
})

/** Connects a provider: shows the addresses to register there, and takes its issuer and client. */
export function ConnectCard({ provider }: { readonly provider: Provider }) {
  const { organisation, redirectUri, logoutUri } = provider
  const isNew = provider.issuer === null
  const form = useForm({
    initialValues: valuesOf(provider),
    validate: {
      issuer: (value) => (value.trim() === '' ? say.missingIssuer : null),
      clientId: (value) => (value.trim() === '' ? say.missingClientId : null),
      clientSecret: (value) => (isNew && value.trim() === '' ? say.missingSecret : null),
    },
  })
  const save = useWrite(setProvider, {
    changes: [readProvider],
    onDone: (saved) => {
      const values = valuesOf(saved)
      form.setValues(values)
      form.resetDirty(values)
      const isTurnedOff = provider.mode !== 'off' && saved.mode === 'off'
      notify(isNew ? say.connected : isTurnedOff ? say.savedOff : say.saved)
    },
  })
  useUnsaved(() => form.isDirty())
  return (
    <Card title={say.connect}>
      <form
        noValidate
        onSubmit={form.onSubmit(({ issuer, clientId, clientSecret, createsAccounts }) =>
          save.mutate({
            organisation,
            issuer: issuer.trim(),
            clientId: clientId.trim(),
            createsAccounts,
            ...(clientSecret.trim() !== '' && { clientSecret: clientSecret.trim() }),
          }),
        )}
      >
        <Stack>
          {save.error && <Problem title={say.connectFailed} error={save.error} />}
          <Text size="sm">{say.connectText}</Text>
          <Input.Wrapper label={say.redirectUri} labelElement="div">
            <Copied value={redirectUri} what={say.redirectUri} />
          </Input.Wrapper>
          <Input.Wrapper label={say.logoutUri} labelElement="div">
            <Copied value={logoutUri} what={say.logoutUri} />
          </Input.Wrapper>
          <TextInput
            label={say.issuer}
            description={say.issuerHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={500}
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('issuer')}
          />
          <TextInput
            label={say.clientId}
            maxLength={500}
            autoComplete="off"
            spellCheck={false}
            {...form.getInputProps('clientId')}
          />
          <PasswordInput
            label={say.secret}
            description={isNew ? say.secretHelp : say.secretKept}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={1000}
            autoComplete="off"
            {...form.getInputProps('clientSecret')}
          />
          <Switch
            label={say.creates}
            description={say.createsHelp}
            {...form.getInputProps('createsAccounts', { type: 'checkbox' })}
          />
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!(isNew || form.isDirty())}>
              {isNew ? say.connectNow : say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
