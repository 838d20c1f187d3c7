import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { listCredentials, makeCredential, type NewCredential } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { only } from '../../parts/search.ts'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { adminWords } from '../words.ts'

const { keys: say } = adminWords
const { form: sayForm } = words
const ORDER = ['label', 'input', 'description', 'error'] as const
type Scope = NewCredential['scopes'][number]
const SCOPES = Object.keys(say.aboutScopes) as Scope[]

interface NewCredentialFormProps {
  readonly onDone: (made: NewCredential) => void
  readonly onClose: () => void
}

export function NewCredentialForm({ onDone, onClose }: NewCredentialFormProps) {
  const make = useWrite(makeCredential, { changes: [listCredentials], onDone })
  const form = useForm({
    initialValues: { name: '', scopes: ['statements/write'] as string[], expires: '', usesLibrary: false },
    validate: {
      name: (value) => (value.trim() === '' ? say.missingName : null),
      scopes: (value) => (value.length === 0 ? say.missingScopes : null),
      expires: (value) => (value !== '' && Date.parse(value) <= Date.now() ? say.pastExpiry : null),
    },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name, scopes, expires, usesLibrary }) =>
        make.mutate({
          name: name.trim(),
          scopes,
          usesLibrary,
          ...only({ expiresDate: expires === '' ? undefined : new Date(expires).toISOString() }),
        }),
      )}
    >
      <Stack>
        {make.error && <Problem title={say.failed} error={make.error} />}
        <TextInput
          label={say.name}
          description={say.nameHelp}
          inputWrapperOrder={[...ORDER]}
          maxLength={200}
          {...form.getInputProps('name')}
        />
        <Checkbox.Group
          label={say.scopes}
          description={say.scopesHelp}
          inputWrapperOrder={[...ORDER]}
          {...form.getInputProps('scopes')}
        >
          <Stack gap={8} mb={4}>
            {SCOPES.map((scope) => (
              <Checkbox
                key={scope}
                value={scope}
                label={
                  <>
                    {say.aboutScopes[scope]}{' '}
                    <Text component="span" size="xs" c="dimmed">
                      {scope}
                    </Text>
                  </>
                }
              />
            ))}
          </Stack>
        </Checkbox.Group>
        <TextInput
          type="datetime-local"
          label={say.expires}
          description={say.expiresHelp}
          inputWrapperOrder={[...ORDER]}
          {...form.getInputProps('expires')}
        />
        <Checkbox
          label={say.library}
          description={say.libraryHelp}
          {...form.getInputProps('usesLibrary', { type: 'checkbox' })}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={make.isPending}>
            {say.go}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
