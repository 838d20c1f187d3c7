import { Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useHere } from '../../api/here.ts'
import { type App, changeApp, listApps, readApp } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { faultsIn, LINE_ERRORS, linesOf } from '../../parts/lines.ts'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { useApp } from './app-frame.tsx'
import { LogoutsCard } from './logouts-card.tsx'
import { checkPasted, OpenIdFields, openIdChangeOf, openIdValuesOf } from './openid-fields.tsx'
import { ScopesField } from './scopes-field.tsx'

const { app: say } = consoleWords
const { form: sayForm } = words

/** The form's values. A list of scopes is typed as texts, as the field returns it. */
const valuesOf = (app: App) => ({
  name: app.name,
  redirects: app.redirectUris.join('\n'),
  launchUri: app.launchUri ?? '',
  origins: app.origins.join('\n'),
  postLogout: app.postLogoutRedirectUris.join('\n'),
  receiver: app.backchannelLogoutUri ?? '',
  sidRequired: app.backchannelLogoutSessionRequired,
  scopes: [...app.scopes] as string[],
  ...openIdValuesOf(app),
})

export function AppSettingsPage() {
  const app = useApp()
  const form = useForm({
    initialValues: valuesOf(app),
    validate: {
      name: (value) => (value.trim() === '' ? consoleWords.newApp.missingName : null),
      pasted: checkPasted,
    },
    validateInputOnChange: ['pasted'],
  })
  const save = useWrite(changeApp, {
    changes: [readApp, listApps],
    onDone: (changed) => {
      const saved = valuesOf(changed)
      form.setValues(saved)
      form.resetDirty(saved)
      notify(say.saved)
    },
  })
  const isDirty = form.isDirty()
  const isWatched = useHere().environment === 'production' && app.status === 'approved'
  useUnsaved(() => form.isDirty())
  return (
    <Stack>
      <Card title={say.settings} maw={720}>
        <form
          noValidate
          onSubmit={form.onSubmit(
            ({ name, redirects, launchUri, origins, scopes, postLogout, receiver, sidRequired, ...openId }) =>
              save.mutate(
                {
                  clientId: app.clientId,
                  name: name.trim(),
                  redirectUris: linesOf(redirects),
                  launchUri: launchUri.trim(),
                  origins: linesOf(origins),
                  scopes,
                  postLogoutRedirectUris: linesOf(postLogout),
                  backchannelLogoutUri: receiver.trim(),
                  backchannelLogoutSessionRequired: sidRequired,
                  ...openIdChangeOf(openId),
                },
                {
                  onError: (error) =>
                    form.setErrors({
                      redirects: faultsIn(error, 'redirectUris', redirects),
                      launchUri: faultsIn(error, 'launchUri', launchUri),
                      origins: faultsIn(error, 'origins', origins),
                      postLogout: faultsIn(error, 'postLogoutRedirectUris', postLogout),
                      receiver: faultsIn(error, 'backchannelLogoutUri', receiver),
                      pasted: faultsIn(error, 'publicKeys', openId.pasted),
                    }),
                },
              ),
          )}
        >
          <Stack>
            {save.error && <Problem title={say.saveFailed} error={save.error} />}
            {isWatched && (
              <Text size="sm" c="dimmed">
                {say.watched}
              </Text>
            )}
            <TextInput
              label={consoleWords.newApp.name}
              description={say.nameHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              maxLength={200}
              {...form.getInputProps('name')}
            />
            <Textarea
              label={consoleWords.app.redirects}
              description={consoleWords.newApp.redirectsHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              autosize
              minRows={3}
              spellCheck={false}
              {...LINE_ERRORS}
              {...form.getInputProps('redirects')}
            />
            <TextInput
              label={consoleWords.newApp.launch}
              description={consoleWords.newApp.launchHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              spellCheck={false}
              {...form.getInputProps('launchUri')}
            />
            <Textarea
              label={say.origins}
              description={say.originsHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              placeholder="https://app.example.org"
              autosize
              minRows={2}
              spellCheck={false}
              {...LINE_ERRORS}
              {...form.getInputProps('origins')}
            />
            <ScopesField {...form.getInputProps('scopes')} />
            <Textarea
              label={say.postLogout}
              description={say.postLogoutHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              placeholder="https://app.example.org/signed-out"
              autosize
              minRows={2}
              spellCheck={false}
              {...LINE_ERRORS}
              {...form.getInputProps('postLogout')}
            />
            <TextInput
              label={say.receiver}
              description={say.receiverHelp}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              placeholder="https://app.example.org/backchannel-logout"
              spellCheck={false}
              {...form.getInputProps('receiver')}
            />
            <Checkbox label={say.sidRequired} {...form.getInputProps('sidRequired', { type: 'checkbox' })} />
            <OpenIdFields form={form} />
            <Group>
              <Button type="submit" loading={save.isPending} disabled={!isDirty}>
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
      {app.backchannelLogoutUri !== null && <LogoutsCard clientId={app.clientId} />}
    </Stack>
  )
}
