import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { changePlugin, listPlugins, type Plugin, readPlugin, removePlugin } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { faultsIn, LINE_ERRORS, linesOf } from '../../parts/lines.ts'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { PURPOSES, type Purpose } from './kinds.ts'
import { usePlugin } from './plugin-frame.tsx'

const { plugin: say, newPlugin: sayNew } = consoleWords
const { form: sayForm } = words

export function PluginSettingsPage() {
  const plugin = usePlugin()
  return (
    <>
      <SettingsForm plugin={plugin} />
      <RemoveCard plugin={plugin} />
    </>
  )
}

const valuesOf = ({ name, description, kind, addresses, redirectUris }: Plugin) => ({
  name,
  description,
  addresses: Object.fromEntries(
    PURPOSES[kind].map((purpose) => [purpose, addresses.find((one) => one.purpose === purpose)?.uri ?? '']),
  ) as Record<Purpose, string>,
  redirects: redirectUris.join('\n'),
})

function SettingsForm({ plugin }: { readonly plugin: Plugin }) {
  const { clientId, kind } = plugin
  const form = useForm({
    initialValues: valuesOf(plugin),
    validate: { name: (value) => (value.trim() === '' ? sayForm.missingName : null) },
  })
  const save = useWrite(changePlugin, {
    changes: [readPlugin, listPlugins],
    onDone: (changed) => {
      form.setValues(valuesOf(changed))
      form.resetDirty(valuesOf(changed))
      notify(say.saved)
    },
  })
  const isDirty = form.isDirty()
  const isOff = plugin.addresses.some(({ offDate }) => offDate !== null)
  useUnsaved(() => form.isDirty())
  const submit = form.onSubmit(({ name, description, addresses, redirects }) =>
    save.mutate(
      {
        clientId,
        name: name.trim(),
        description: description.trim(),
        addresses: Object.fromEntries(PURPOSES[kind].map((purpose) => [purpose, addresses[purpose].trim() || null])),
        redirectUris: linesOf(redirects),
      },
      { onError: (error) => form.setErrors({ redirects: faultsIn(error, 'redirectUris', redirects) }) },
    ),
  )
  return (
    <Card title={say.settings} maw={720}>
      <form noValidate onSubmit={submit}>
        <Stack>
          {save.error && <Problem title={say.saveFailed} error={save.error} />}
          <TextInput label={sayForm.name} maxLength={200} {...form.getInputProps('name')} />
          <Textarea
            label={sayNew.descriptionLabel}
            description={sayNew.descriptionHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autosize
            minRows={2}
            maxLength={2000}
            {...form.getInputProps('description')}
          />
          {PURPOSES[kind].map((purpose) => (
            <TextInput
              key={purpose}
              label={say.purposeLabel(say.purposes[purpose])}
              description={say.purposesHelp[purpose]}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              placeholder={`https://plugin.example.org/${purpose}`}
              spellCheck={false}
              {...form.getInputProps(`addresses.${purpose}`)}
            />
          ))}
          <Textarea
            label={say.redirects}
            description={say.redirectsHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autosize
            minRows={2}
            spellCheck={false}
            {...LINE_ERRORS}
            {...form.getInputProps('redirects')}
          />
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!isDirty && !isOff}>
              {sayForm.save}
            </Button>
            {isDirty && (
              <>
                <Button variant="default" onClick={form.reset}>
                  {sayForm.cancel}
                </Button>
                <Text size="sm" c="dimmed">
                  {sayForm.unsaved}
                </Text>
              </>
            )}
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function RemoveCard({ plugin: { clientId, name } }: { readonly plugin: Plugin }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const remove = useWrite(removePlugin, { changes: [listPlugins] })
  const go = () =>
    remove.mutate(
      { clientId },
      {
        onSuccess: () => {
          notify(say.removed(name))
          void navigate({ to: '/console/plugins' })
        },
      },
    )
  return (
    <Card title={sayForm.danger} maw={720} isDanger>
      <Stack align="flex-start" gap="sm">
        <Text size="sm">{say.removeText}</Text>
        <Button color="red" variant="outline" onClick={() => setAsking(true)}>
          {say.remove}
        </Button>
      </Stack>
      <Confirm
        isOpen={isAsking}
        title={say.removeTitle(name)}
        go={say.remove}
        word={clientId}
        isPending={remove.isPending}
        error={remove.error}
        onGo={go}
        onClose={() => setAsking(false)}
      >
        {say.removeText}
      </Confirm>
    </Card>
  )
}
