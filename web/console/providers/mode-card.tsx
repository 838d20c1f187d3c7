import { Button, Checkbox, Group, Input, List, Radio, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listOrganisationOwners, type Provider, readProvider, setProviderMode } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copied.tsx'
import { notify } from '../../parts/notify.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { providerWords as say } from './provider-words.ts'

interface ModeProps {
  readonly provider: Provider
  /** Name of the organisation. */
  readonly name: string
}

/** Turns the provider on or off, once it has been tested. */
export function ModeCard({ provider, name }: ModeProps) {
  const { signInUrl, testedDate, mode } = provider
  return (
    <Card title={say.mode}>
      <Stack>
        {testedDate === null && (
          <Text size="sm" c="dimmed">
            {mode === 'off' ? say.modeFirst : say.modeAgain}
          </Text>
        )}
        {(testedDate !== null || mode !== 'off') && (
          <>
            <ModeForm key={`${provider.mode} ${provider.breakGlass}`} provider={provider} name={name} />
            {mode !== 'off' && (
              <Input.Wrapper label={say.signInUrl} labelElement="div" description={say.signInUrlHelp}>
                <Copied value={signInUrl} what={say.signInUrl} />
              </Input.Wrapper>
            )}
          </>
        )}
      </Stack>
    </Card>
  )
}

function ModeForm({ provider: { organisation, mode, breakGlass }, name }: ModeProps) {
  const owners = useQuery(query(listOrganisationOwners, { organisation, limit: 100 }))
  const [isAsking, setAsking] = useState(false)
  const form = useForm({
    initialValues: { mode: mode as string, breakGlass: [...breakGlass] },
    validate: {
      breakGlass: (value, { mode }) => (mode === 'enforced' && value.length === 0 ? say.missingBreakGlass : null),
    },
  })
  const set = useWrite(setProviderMode, {
    changes: [readProvider],
    onDone: (saved) => {
      setAsking(false)
      form.resetDirty()
      notify(say.modeSaved(say.modes[saved.mode]![0]))
    },
  })
  useUnsaved(() => form.isDirty())
  const send = () =>
    set.mutate({
      organisation,
      mode: form.values.mode as Provider['mode'],
      breakGlass: form.values.breakGlass,
    })
  const isEnforcing = form.values.mode === 'enforced'
  return (
    <form noValidate onSubmit={form.onSubmit(() => (isEnforcing && mode !== 'enforced' ? setAsking(true) : send()))}>
      <Stack>
        {set.error && !isAsking && <Problem title={say.modeFailed} error={set.error} />}
        <Radio.Group label={say.modeLabel} description={say.modeText} {...form.getInputProps('mode')}>
          <Stack gap="xs" mt="xs">
            {Object.entries(say.modes).map(([value, [label, description]]) => (
              <Radio key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        {isEnforcing && (
          <Loaded query={owners} lines={1}>
            {({ docs }) => (
              <Checkbox.Group
                label={say.breakGlass}
                description={say.breakGlassHelp}
                {...form.getInputProps('breakGlass')}
              >
                <Stack gap="xs" mt="xs">
                  {docs.map(({ handle, firstName, lastName }) => (
                    <Checkbox key={handle} value={handle} label={`${firstName} ${lastName} (${handle})`.trim()} />
                  ))}
                </Stack>
              </Checkbox.Group>
            )}
          </Loaded>
        )}
        <Group>
          <Button type="submit" loading={set.isPending} disabled={!form.isDirty()}>
            {say.save}
          </Button>
        </Group>
      </Stack>
      <Confirm
        isOpen={isAsking}
        title={say.enforceTitle}
        go={say.enforce}
        isPending={set.isPending}
        error={set.error}
        isHarmless
        onGo={send}
        onClose={() => setAsking(false)}
      >
        <Text size="sm">{say.enforceText(name)}</Text>
        <List size="sm" mt="xs">
          {form.values.breakGlass.map((handle) => (
            <List.Item key={handle}>{handle}</List.Item>
          ))}
        </List>
      </Confirm>
    </form>
  )
}
