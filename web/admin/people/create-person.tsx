import { Button, Checkbox, Group, NativeSelect, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { createPerson, findPeople, listAudit } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { notify } from '../../parts/notify.tsx'
import { OrganisationField } from '../../parts/organisation-field.tsx'
import { personWords } from '../../parts/person-words.ts'
import { SameAddress } from '../../parts/same-address.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { adminWords } from '../words.ts'

const { create: say } = adminWords
type Role = NonNullable<Parameters<typeof createPerson>[0]['role']>

/** Creates an account for somebody, and sends them the link to set it up. */
export function CreatePersonForm({ onClose }: { readonly onClose: () => void }) {
  const create = useWrite(createPerson, {
    changes: [findPeople, listAudit],
    onDone: ({ name, handle, status }) => {
      notify((status === 'invited' ? say.invited : say.created)(name || handle))
      onClose()
    },
  })
  const form = useForm({
    initialValues: {
      firstName: '',
      lastName: '',
      email: '',
      handle: '',
      organisation: '',
      role: 'member' as Role,
      invite: true,
      allowSameAddress: false,
    },
    validate: {
      firstName: (value, { lastName, handle, email }) =>
        `${value}${lastName}${handle}${email}`.trim() === '' ? say.missing : null,
      email: (value, { invite }) => (invite && value.trim() === '' ? say.missingEmail : null),
    },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ organisation, role, handle, ...values }) =>
        create.mutate({
          ...values,
          ...(handle.trim() !== '' && { handle: handle.trim() }),
          ...(organisation !== '' && { organisation, role }),
        }),
      )}
    >
      <Stack>
        {create.error && <Problem title={say.failed} error={create.error} />}
        <TextInput label={personWords.firstName} maxLength={100} {...form.getInputProps('firstName')} />
        <TextInput label={personWords.lastName} maxLength={100} {...form.getInputProps('lastName')} />
        <TextInput label={personWords.email} type="email" maxLength={254} {...form.getInputProps('email')} />
        <SameAddress
          error={create.error}
          isAllowed={form.values.allowSameAddress}
          onChange={(isAllowed) => form.setFieldValue('allowSameAddress', isAllowed)}
        />
        <TextInput
          label={personWords.handle}
          description={say.handleHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={31}
          spellCheck={false}
          {...form.getInputProps('handle')}
        />
        <OrganisationField
          asRole="owner"
          isOptional
          description={say.organisationHelp}
          onChange={(key) => form.setFieldValue('organisation', key)}
        />
        {form.values.organisation !== '' && (
          <NativeSelect
            label={say.role}
            data={Object.entries(say.roles).map(([value, label]) => ({ value, label }))}
            {...form.getInputProps('role')}
          />
        )}
        <Checkbox label={say.invite} {...form.getInputProps('invite', { type: 'checkbox' })} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {say.go}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
