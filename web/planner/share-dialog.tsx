import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { listPlans, type Plan, readPlan, sharePlan, unsharePlan } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Dialog } from '../parts/dialog.tsx'
import { X } from '../parts/icons.tsx'
import { offerUndo } from '../parts/notify.tsx'
import { useOrganisationNames } from '../parts/organisation-names.ts'
import { Problem } from '../parts/states.tsx'
import { Unsaved } from '../parts/unsaved.tsx'
import { nameOf } from './names.ts'
import { plannerWords } from './words.ts'

const { sharing: say } = plannerWords
const CHANGED = [readPlan, listPlans]

interface ShareDialogProps {
  readonly plan: Plan
  readonly onClose: () => void
}

/** Lists the people and organisations with whom a plan is shared, and lets the owner add and remove them. */
export function ShareDialog({ plan, onClose }: ShareDialogProps) {
  const shared = plan.shared ?? { organisations: [], people: [] }
  const shares = [
    ...shared.organisations.map(({ organisation, name }) => ({
      name: say.members(name),
      with: { organisations: [organisation] },
    })),
    ...shared.people.map((one) => ({ name: `${nameOf(one)} (${one.handle})`, with: { people: [one.handle] } })),
  ]
  const share = useWrite(sharePlan, { changes: CHANGED })
  const stop = useWrite(unsharePlan, { changes: CHANGED })
  const left = plan.organisations.filter(
    (key) => !shared.organisations.some(({ organisation }) => organisation === key),
  )
  const nameOfOrganisation = useOrganisationNames(left)
  const form = useForm({
    initialValues: { handle: '', organisation: '' },
    validate: {
      handle: (handle, { organisation }) => (handle.trim() === '' && organisation === '' ? say.missing : null),
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={say.title}>
      <Stack>
        <Text>{say.text}</Text>
        {(share.error ?? stop.error) && <Problem title={say.failed} error={(share.error ?? stop.error)!} />}
        {shares.length === 0 ? (
          <Text c="dimmed" size="sm">
            {say.nobody}
          </Text>
        ) : (
          <Stack component="ul" gap="xs" p={0} m={0} aria-label={say.list} style={{ listStyle: 'none' }}>
            {shares.map((one) => (
              <Group component="li" key={one.name} justify="space-between" wrap="nowrap">
                <Text style={{ overflowWrap: 'anywhere' }}>{one.name}</Text>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={say.stop(one.name)}
                  loading={stop.isPending && stop.variables.planId === plan.planId}
                  onClick={() =>
                    stop.mutate(
                      { planId: plan.planId, ...one.with },
                      {
                        onSuccess: () =>
                          offerUndo(say.stopped(one.name), () => share.mutate({ planId: plan.planId, ...one.with })),
                      },
                    )
                  }
                >
                  <X size={16} aria-hidden />
                </ActionIcon>
              </Group>
            ))}
          </Stack>
        )}
        <form
          noValidate
          onSubmit={form.onSubmit(({ handle, organisation }) =>
            share.mutate(
              {
                planId: plan.planId,
                ...(handle.trim() !== '' && { people: [handle.trim()] }),
                ...(organisation !== '' && { organisations: [organisation] }),
              },
              { onSuccess: () => form.reset() },
            ),
          )}
        >
          <Unsaved hasChanges={() => form.isDirty()} />
          <Stack>
            <TextInput
              data-autofocus
              label={say.handle}
              description={say.handleHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              spellCheck={false}
              maxLength={31}
              {...form.getInputProps('handle')}
            />
            {left.length > 0 && (
              <Select
                label={say.organisation}
                placeholder={say.noOrganisation}
                data={left.map((key) => ({ value: key, label: nameOfOrganisation(key) }))}
                clearable
                {...form.getInputProps('organisation')}
                value={form.values.organisation || null}
                onChange={(value) => form.setFieldValue('organisation', value ?? '')}
              />
            )}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {say.done}
              </Button>
              <Button type="submit" loading={share.isPending}>
                {say.go}
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
    </Dialog>
  )
}
