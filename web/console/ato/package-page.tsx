import { Anchor, Button, Group, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type AtoDistribution,
  type AtoPackage,
  addAtoDistribution,
  listAtoPackages,
  listAtoPlugins,
  listAtoRequests,
  readAtoPackage,
  removeAtoDistribution,
  removeAtoPackage,
  startAtoRequest,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Plus, Send } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify, offerUndo } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { RequestRows } from './request-rows.tsx'

const route = getRouteApi('/signed-in/console/ato/packages/$packageId')
const { ato: say } = consoleWords
const { form: sayForm } = words
const CHANGED = [readAtoPackage, listAtoPackages]

export function PackagePage() {
  const found = useQuery(route.useLoaderData().package)
  return <Loaded query={found}>{(one) => <PackageContent one={one} />}</Loaded>
}

function PackageContent({ one }: { readonly one: AtoPackage }) {
  const { packageId, clientId, name, companyPhone } = one
  const [isStarting, setStarting] = useState(false)
  const requests = useQuery(query(listAtoRequests, { clientId, packageId, limit: 100 }))
  return (
    <>
      <PageHead
        title={name}
        lead={companyPhone ?? undefined}
        above={
          <TextLink to="/console/ato" search={{ app: clientId }} size="sm">
            {say.title}
          </TextLink>
        }
        action={
          <Button leftSection={<Send size={16} aria-hidden />} onClick={() => setStarting(true)}>
            {say.start}
          </Button>
        }
      />
      <Stack gap="lg">
        <DistributionsCard one={one} />
        <Loaded query={requests}>
          {({ docs }) =>
            docs.length > 0 && (
              <Card title={say.requests} isFlush>
                <RequestRows requests={docs} />
              </Card>
            )
          }
        </Loaded>
        <RemoveCard one={one} />
      </Stack>
      <Dialog isOpen={isStarting} onClose={() => setStarting(false)} title={say.start}>
        <StartForm packageId={packageId} onClose={() => setStarting(false)} />
      </Dialog>
    </>
  )
}

function DistributionsCard({ one: { packageId, distributions } }: { readonly one: AtoPackage }) {
  const [isAdding, setAdding] = useState(false)
  const add = useWrite(addAtoDistribution, { changes: CHANGED })
  const remove = useWrite(removeAtoDistribution, { changes: CHANGED })
  const takeOut = ({ id, name, platform, version, uri }: AtoDistribution) => {
    const again = { packageId, name, uri, ...(platform && { platform }), ...(version && { version }) }
    remove.mutate(
      { distributionId: id },
      { onSuccess: () => offerUndo(say.distributionRemoved(name), () => add.mutate(again)) },
    )
  }
  const error = remove.error ?? add.error
  return (
    <Card
      title={say.distributions}
      isFlush
      action={
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => setAdding(true)}
        >
          {say.addDistribution}
        </Button>
      }
    >
      {error && <Problem title={say.distributionFailed} error={error} />}
      {distributions.length === 0 ? (
        <Text size="sm" c="dimmed" px={20} py="md">
          {say.noDistributions}
        </Text>
      ) : (
        <Rows
          label={say.distributions}
          head={[sayForm.name, say.platform, say.version, say.made]}
          hasActions
          minWidth={640}
        >
          {distributions.map((distribution) => (
            <Row
              key={distribution.id}
              cells={[
                <>
                  <Text size="sm" fw={550}>
                    {distribution.name}
                  </Text>
                  <Anchor href={distribution.uri} size="xs" target="_blank" rel="noreferrer">
                    {distribution.uri}
                  </Anchor>
                </>,
                distribution.platform ?? words.time.none,
                distribution.version ?? words.time.none,
                <Time key="added" at={distribution.addedDate} />,
                <Button
                  key="remove"
                  variant="subtle"
                  color="red"
                  size="xs"
                  aria-label={say.removeDistributionOf(distribution.name)}
                  onClick={() => takeOut(distribution)}
                >
                  {say.removeDistribution}
                </Button>,
              ]}
            />
          ))}
        </Rows>
      )}
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={say.addDistribution}>
        <DistributionForm packageId={packageId} onClose={() => setAdding(false)} />
      </Dialog>
    </Card>
  )
}

interface FormProps {
  readonly packageId: string
  readonly onClose: () => void
}

function DistributionForm({ packageId, onClose }: FormProps) {
  const add = useWrite(addAtoDistribution, { changes: CHANGED })
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', uri: '', platform: '', version: '' },
    validate: {
      name: (value) => (value.trim() === '' ? sayForm.missingName : null),
      uri: (value) => (value.trim() === '' ? say.missingUri : null),
    },
  })
  const submit = form.onSubmit((values) => {
    const [name, uri, platform, version] = [values.name, values.uri, values.platform, values.version].map((text) =>
      text.trim(),
    ) as [string, string, string, string]
    add.mutate(
      { packageId, name, uri, ...(platform && { platform }), ...(version && { version }) },
      {
        onSuccess: () => {
          notify(say.added(name))
          onClose()
        },
      },
    )
  })
  useUnsaved(() => form.isDirty())
  return (
    <form noValidate onSubmit={submit}>
      <Stack>
        {add.error && <Problem title={say.addDistributionFailed} error={add.error} />}
        <TextInput label={sayForm.name} maxLength={200} key={form.key('name')} {...form.getInputProps('name')} />
        <TextInput
          label={say.uri}
          description={say.uriHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          spellCheck={false}
          maxLength={1000}
          key={form.key('uri')}
          {...form.getInputProps('uri')}
        />
        <TextInput
          label={say.platform}
          description={say.platformHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={100}
          key={form.key('platform')}
          {...form.getInputProps('platform')}
        />
        <TextInput
          label={say.version}
          description={say.versionHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={100}
          key={form.key('version')}
          {...form.getInputProps('version')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {say.addDistribution}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function StartForm({ packageId, onClose }: FormProps) {
  const navigate = useNavigate()
  const plugins = useQuery(query(listAtoPlugins, { limit: 100 }))
  const [chosen, setChosen] = useState<string>()
  const start = useWrite(startAtoRequest, {
    changes: [listAtoRequests],
    onDone: ({ requestId }) => {
      notify(say.started)
      void navigate({ to: '/console/ato/requests/$requestId', params: { requestId } })
    },
  })
  return (
    <Stack>
      {start.error && <Problem title={say.startFailed} error={start.error} />}
      <Text size="sm">{say.startText}</Text>
      <Loaded query={plugins}>
        {({ docs }) =>
          docs.length === 0 ? (
            <Text size="sm">{say.noPlugins}</Text>
          ) : (
            <Radio.Group label={say.choosePlugin} value={chosen ?? null} onChange={setChosen}>
              <Stack gap="xs" mt="xs">
                {docs.map(({ pluginClientId, name, description }) => (
                  <Radio key={pluginClientId} value={pluginClientId} label={name} description={description} />
                ))}
              </Stack>
            </Radio.Group>
          )
        }
      </Loaded>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {sayForm.cancel}
        </Button>
        <Button
          disabled={chosen === undefined}
          loading={start.isPending}
          onClick={() => chosen !== undefined && start.mutate({ packageId, pluginClientId: chosen })}
        >
          {say.start}
        </Button>
      </Group>
    </Stack>
  )
}

function RemoveCard({ one: { packageId, clientId, name } }: { readonly one: AtoPackage }) {
  const navigate = useNavigate()
  const [isAsking, setAsking] = useState(false)
  const remove = useWrite(removeAtoPackage, { changes: [listAtoPackages, listAtoRequests] })
  const go = () =>
    remove.mutate(
      { packageId },
      {
        onSuccess: () => {
          notify(say.packageRemoved(name))
          void navigate({ to: '/console/ato', search: { app: clientId } })
        },
      },
    )
  return (
    <Card title={sayForm.danger} isDanger>
      <Stack align="flex-start" gap="sm">
        <Text size="sm">{say.removePackageText}</Text>
        <Button color="red" variant="outline" onClick={() => setAsking(true)}>
          {say.removePackage}
        </Button>
      </Stack>
      <Confirm
        isOpen={isAsking}
        title={say.removePackageTitle(name)}
        go={say.removePackage}
        isPending={remove.isPending}
        error={remove.error}
        onGo={go}
        onClose={() => setAsking(false)}
      >
        {say.removePackageText}
      </Confirm>
    </Card>
  )
}
