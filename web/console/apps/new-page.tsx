import { Alert, Anchor, Button, Checkbox, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { listApps, type Organisation, registerApp } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { SCOPE_WORDS } from '../../parts/consent.ts'
import { Building2 } from '../../parts/icons.tsx'
import { faultsIn, LINE_ERRORS, linesOf } from '../../parts/lines.ts'
import { OrganisationField } from '../../parts/organisation-field.tsx'
import { organisationWords } from '../../parts/organisation-words.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { SecretShown } from '../../parts/secret-shown.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { consoleWords } from '../words.ts'
import { PublicKeys } from './openid-fields.tsx'
import { keysFrom } from './public-keys.ts'
import { ScopesField } from './scopes-field.tsx'

const route = getRouteApi('/signed-in/console/apps/new')
const { newApp: say } = consoleWords

export function NewAppPage() {
  const organisations = useQuery(route.useLoaderData().organisations)
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        above={
          <Anchor component={Link} to="/console/apps" size="sm">
            {consoleWords.apps.title}
          </Anchor>
        }
      />
      <Loaded query={organisations}>
        {({ total, first }) => (
          <Card maw={640}>
            {total === 0 ? (
              <Empty icon={Building2} title={organisationWords.none}>
                {organisationWords.noneText}
              </Empty>
            ) : (
              <NewAppForm first={first} />
            )}
          </Card>
        )}
      </Loaded>
    </>
  )
}

function NewAppForm({ first }: { readonly first: Organisation | undefined }) {
  const navigate = useNavigate()
  const search = route.useSearch()
  const given = {
    ...search,
    scopes: search.scopes?.filter((scope) => Object.hasOwn(SCOPE_WORDS, scope)),
    keys: keysFrom(search.keys),
  }
  const [made, setMade] = useState<{ clientId: string; secret: string }>()
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: {
      organisation: first?.organisation ?? '',
      name: given.name ?? '',
      redirects: given.redirects?.join('\n') ?? '',
      launchUri: given.launch ?? '',
      scopes: given.scopes ?? [],
      public: given.public ?? false,
      postLogout: given.postLogout?.join('\n') ?? '',
      receiver: given.receiver ?? '',
    },
    validate: {
      organisation: (value) => (value ? null : organisationWords.missing),
      name: (value) => (value.trim() === '' ? say.missingName : null),
      redirects: (value) => (linesOf(value).length === 0 ? say.missingRedirect : null),
    },
  })
  const show = (clientId: string) =>
    void navigate({ to: '/console/apps/$clientId', params: { clientId }, ignoreBlocker: true })
  const register = useWrite(registerApp, {
    changes: [listApps],
    onDone: ({ clientId, clientSecret }) =>
      clientSecret === null ? show(clientId) : setMade({ clientId, secret: clientSecret }),
  })
  useUnsaved(() => form.isDirty() && made === undefined)
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ redirects, name, launchUri, postLogout, receiver, ...rest }) =>
        register.mutate(
          {
            ...rest,
            name: name.trim(),
            redirectUris: linesOf(redirects),
            launchUri: launchUri.trim(),
            ...(postLogout !== '' && { postLogoutRedirectUris: linesOf(postLogout) }),
            ...(receiver !== '' && { backchannelLogoutUri: receiver.trim() }),
            ...(given.sid && { backchannelLogoutSessionRequired: true }),
            ...(given.algorithm && { idTokenAlgorithm: given.algorithm }),
            ...(given.method && { tokenEndpointAuthMethod: given.method }),
            ...(given.keys && { publicKeys: JSON.stringify({ keys: given.keys }) }),
          },
          {
            onError: (error) =>
              form.setErrors({
                redirects: faultsIn(error, 'redirectUris', redirects),
                launchUri: faultsIn(error, 'launchUri', launchUri),
                postLogout: faultsIn(error, 'postLogoutRedirectUris', postLogout),
                receiver: faultsIn(error, 'backchannelLogoutUri', receiver),
              }),
          },
        ),
      )}
    >
      <Stack gap="lg">
        {given.name !== undefined && <Alert title={say.promotedTitle}>{say.promotedText}</Alert>}
        {register.error && <Problem title={say.failed} error={register.error} />}
        <OrganisationField
          asRole="developer"
          first={first}
          description={say.organisationHelp}
          error={form.errors.organisation}
          onChange={(key) => form.setFieldValue('organisation', key)}
        />
        <TextInput
          label={say.name}
          description={say.nameHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={200}
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <Textarea
          label={say.redirects}
          description={say.redirectsHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder="https://app.example.org/callback"
          rows={3}
          spellCheck={false}
          {...LINE_ERRORS}
          key={form.key('redirects')}
          {...form.getInputProps('redirects')}
        />
        <TextInput
          label={say.launch}
          description={say.launchHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          spellCheck={false}
          key={form.key('launchUri')}
          {...form.getInputProps('launchUri')}
        />
        <ScopesField key={form.key('scopes')} {...form.getInputProps('scopes')} />
        {given.postLogout !== undefined && (
          <Textarea
            label={consoleWords.app.postLogout}
            description={consoleWords.app.postLogoutHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            rows={2}
            spellCheck={false}
            {...LINE_ERRORS}
            key={form.key('postLogout')}
            {...form.getInputProps('postLogout')}
          />
        )}
        {given.receiver !== undefined && (
          <TextInput
            label={consoleWords.app.receiver}
            description={consoleWords.app.receiverHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            spellCheck={false}
            key={form.key('receiver')}
            {...form.getInputProps('receiver')}
          />
        )}
        {given.keys && <PublicKeys keys={given.keys} />}
        {(given.method || given.algorithm) && (
          <Text size="sm">
            {given.method && `${consoleWords.app.method}: ${consoleWords.app.methods[given.method]}. `}
            {given.algorithm && `${consoleWords.app.algorithm}: ${given.algorithm}. `}
            {say.changeLater}
          </Text>
        )}
        <Checkbox
          label={say.public}
          description={say.publicHelp}
          key={form.key('public')}
          {...form.getInputProps('public', { type: 'checkbox' })}
        />
        <Group>
          <Button type="submit" loading={register.isPending}>
            {say.go}
          </Button>
          <Button component={Link} to="/console/apps" variant="default">
            {say.cancel}
          </Button>
        </Group>
      </Stack>
      <SecretShown secret={made?.secret} onKept={() => made && show(made.clientId)} />
    </form>
  )
}
