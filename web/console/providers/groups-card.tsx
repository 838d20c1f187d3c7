import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type GroupRole, type Provider, readProvider, setProvider } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { CircleX } from '../../parts/icons.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { consoleWords } from '../words.ts'
import { providerWords as say } from './provider-words.ts'

const ROLES: readonly GroupRole['role'][] = ['owner', 'developer', 'instructor']
const roleData = ROLES.map((value) => ({ value, label: consoleWords.organisation.roles[value]! }))

const valuesOf = ({ groupsClaim, groupRoles }: Provider) => ({
  claim: groupsClaim ?? '',
  roles: groupRoles.map((one): GroupRole => ({ ...one })),
})

/** Lets groups of the provider decide the roles of people. */
export function GroupsCard({ provider }: { readonly provider: Provider }) {
  const form = useForm({
    initialValues: valuesOf(provider),
    validate: { roles: { group: (value) => (value.trim() === '' ? say.missingGroup : null) } },
  })
  const save = useWrite(setProvider, {
    changes: [readProvider],
    onDone: (saved) => {
      const values = valuesOf(saved)
      form.setValues(values)
      form.resetDirty(values)
      notify(say.groupsSaved)
    },
  })
  useUnsaved(() => form.isDirty())
  return (
    <Card title={say.groups}>
      <form
        noValidate
        onSubmit={form.onSubmit(({ claim, roles }) =>
          save.mutate({ organisation: provider.organisation, groupsClaim: claim.trim(), groupRoles: roles }),
        )}
      >
        <Stack>
          {save.error && <Problem title={say.groupsFailed} error={save.error} />}
          <Text size="sm">{say.groupsText}</Text>
          <TextInput
            label={say.claim}
            description={say.claimHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={200}
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps('claim')}
          />
          {form.values.roles.map((_, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order of the groups is their identity
            <Group key={i} gap="xs" align="flex-end">
              <TextInput
                label={say.groupOf(i + 1)}
                maxLength={300}
                spellCheck={false}
                flex="1 1 200px"
                {...form.getInputProps(`roles.${i}.group`)}
              />
              <Select
                label={say.role}
                aria-label={say.roleOf(i + 1)}
                data={roleData}
                allowDeselect={false}
                w={140}
                {...form.getInputProps(`roles.${i}.role`)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={say.removeGroup(i + 1)}
                title={say.removeGroup(i + 1)}
                onClick={() => form.removeListItem('roles', i)}
              >
                <CircleX size={18} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {say.save}
            </Button>
            <Button
              variant="default"
              disabled={form.values.roles.length >= 50}
              onClick={() => form.insertListItem('roles', { group: '', role: 'instructor' })}
            >
              {say.addGroup}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}
