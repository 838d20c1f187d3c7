import { Button, Checkbox, Group, Radio, Stack, Textarea, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { listPlugins, type Organisation, registerPlugin } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Building2 } from '../../parts/icons.tsx'
import { faultsIn, LINE_ERRORS, linesOf } from '../../parts/lines.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { OrganisationField } from '../../parts/organisation-field.tsx'
import { organisationWords } from '../../parts/organisation-words.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { SecretShown } from '../../parts/secret-shown.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { type Kind, PERMISSIONS, PURPOSES, type Purpose } from './kinds.ts'

const { newPlugin: say, plugins: sayAll, plugin: sayOne } = consoleWords
const { form: sayForm } = words
const HELP_BELOW = { inputWrapperOrder: ['label', 'input', 'description', 'error'] } as {
  inputWrapperOrder: ('label' | 'input' | 'description' | 'error')[]
}

const route = getRouteApi('/signed-in/console/plugins/new')

export function NewPluginPage() {
  const organisations = useQuery(route.useLoaderData().organisations)
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        above={
          <TextLink to="/console/plugins" size="sm">
            {sayAll.title}
          </TextLink>
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
              <NewPluginForm first={first} />
            )}
          </Card>
        )}
      </Loaded>
    </>
  )
}

function NewPluginForm({ first }: { readonly first: Organisation | undefined }) {
  const navigate = useNavigate()
  const [made, setMade] = useState<{ clientId: string; secret: string }>()
  const form = useForm({
    initialValues: {
      kind: 'ato' as Kind,
      organisation: first?.organisation ?? '',
      name: '',
      description: '',
      addresses: { request: '', distributions: '', capabilities: '', candidates: '' } as Record<Purpose, string>,
      redirects: '',
      permissions: [...PERMISSIONS.ai] as string[],
    },
    validate: {
      organisation: (value) => (value ? null : organisationWords.missing),
      name: (value) => (value.trim() === '' ? sayForm.missingName : null),
      addresses: {
        request: (value: string, { kind }: { kind: Kind }) =>
          kind === 'ato' && value.trim() === '' ? say.missingRequest : null,
      },
      redirects: (value, { kind }) =>
        kind === 'ato' && linesOf(value).length === 0 ? consoleWords.newApp.missingRedirect : null,
    },
  })
  const { kind } = form.values
  const register = useWrite(registerPlugin, {
    changes: [listPlugins],
    onDone: ({ clientId, clientSecret }) => setMade({ clientId, secret: clientSecret }),
  })
  const submit = form.onSubmit(({ addresses, redirects, permissions, ...rest }) =>
    register.mutate(
      {
        ...rest,
        name: rest.name.trim(),
        redirectUris: linesOf(redirects),
        addresses: Object.fromEntries(
          PURPOSES[kind]
            .map((purpose) => [purpose, addresses[purpose].trim()] as const)
            .filter(([, uri]) => uri !== ''),
        ),
        permissions: kind === 'ato' ? ['ato'] : permissions,
      },
      { onError: (error) => form.setErrors({ redirects: faultsIn(error, 'redirectUris', redirects) }) },
    ),
  )
  useUnsaved(() => form.isDirty() && made === undefined)
  return (
    <form noValidate onSubmit={submit}>
      <Stack gap="lg">
        {register.error && <Problem title={say.failed} error={register.error} />}
        <Radio.Group label={sayAll.kind} {...form.getInputProps('kind')}>
          <Stack gap="xs" mt="xs">
            {(['ato', 'ai'] as const).map((value) => (
              <Radio key={value} value={value} label={sayAll.kinds[value]} description={sayAll.kindsHelp[value]} />
            ))}
          </Stack>
        </Radio.Group>
        <OrganisationField
          asRole="developer"
          first={first}
          error={form.errors.organisation}
          onChange={(key) => form.setFieldValue('organisation', key)}
        />
        <TextInput label={sayForm.name} maxLength={200} {...form.getInputProps('name')} />
        <Textarea
          label={say.descriptionLabel}
          description={say.descriptionHelp}
          {...HELP_BELOW}
          autosize
          minRows={2}
          maxLength={2000}
          {...form.getInputProps('description')}
        />
        {PURPOSES[kind].map((purpose) => (
          <TextInput
            key={purpose}
            label={sayOne.purposeLabel(sayOne.purposes[purpose])}
            description={sayOne.purposesHelp[purpose]}
            {...HELP_BELOW}
            placeholder={`https://plugin.example.org/${purpose}`}
            spellCheck={false}
            {...form.getInputProps(`addresses.${purpose}`)}
          />
        ))}
        <Textarea
          label={sayOne.redirects}
          description={sayOne.redirectsHelp}
          {...HELP_BELOW}
          rows={2}
          spellCheck={false}
          {...LINE_ERRORS}
          {...form.getInputProps('redirects')}
        />
        {kind === 'ai' && (
          <Checkbox.Group label={say.permissions} {...form.getInputProps('permissions')}>
            <Stack gap="xs" mt="xs">
              {PERMISSIONS.ai.map((permission) => (
                <Checkbox
                  key={permission}
                  value={permission}
                  label={sayOne.permissionNames[permission]}
                  description={sayOne.permissionHelp[permission]}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Group>
          <Button type="submit" loading={register.isPending}>
            {say.go}
          </Button>
          <ButtonLink to="/console/plugins" variant="default">
            {sayForm.cancel}
          </ButtonLink>
        </Group>
      </Stack>
      <SecretShown
        secret={made?.secret}
        onKept={() => made && void navigate({ to: '/console/plugins/$clientId', params: { clientId: made.clientId } })}
      />
    </form>
  )
}
