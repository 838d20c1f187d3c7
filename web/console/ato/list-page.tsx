import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type App, addAtoPackage, listAtoPackages, listAtoRequests } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Code2, FileCheck, Package, Plus } from '../../parts/icons.tsx'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { RequestRows } from './request-rows.tsx'

const route = getRouteApi('/signed-in/console/ato')
const { ato: say } = consoleWords
const { form: sayForm } = words

export function AtoPage() {
  const apps = useQuery(route.useLoaderData().apps)
  const { app: chosen } = route.useSearch()
  return (
    <Loaded query={apps}>
      {({ docs }) => {
        const app = docs.find(({ clientId }) => clientId === chosen) ?? docs[0]
        return app === undefined ? (
          <>
            <PageHead title={say.title} lead={say.lead} />
            <Card>
              <Empty
                icon={Code2}
                title={say.noApp}
                action={<ButtonLink to="/console/apps/new">{say.registerApp}</ButtonLink>}
              >
                {say.noAppText}
              </Empty>
            </Card>
          </>
        ) : (
          <AppPackages app={app} apps={docs} />
        )
      }}
    </Loaded>
  )
}

function AppPackages({ app: { clientId }, apps }: { readonly app: App; readonly apps: readonly App[] }) {
  const navigate = route.useNavigate()
  const packages = useQuery(query(listAtoPackages, { clientId, limit: 50 }))
  const [isAdding, setAdding] = useState(false)
  const addButton = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {say.addPackage}
    </Button>
  )
  return (
    <>
      <PageHead title={say.title} lead={say.lead} action={addButton} />
      <Stack gap="lg">
        <Select
          label={say.app}
          maw={360}
          data={apps.map((one) => ({ value: one.clientId, label: one.name }))}
          value={clientId}
          allowDeselect={false}
          searchable={apps.length > 8}
          onChange={(next) => next !== null && void navigate({ search: { app: next } })}
        />
        <Loaded query={packages}>
          {({ docs }) => (
            <Card title={say.packages} isFlush>
              {docs.length === 0 ? (
                <Empty icon={Package} title={say.noPackages}>
                  {say.noPackagesText}
                </Empty>
              ) : (
                <Rows label={say.packages} head={[say.package, say.phone, say.made]} minWidth={420}>
                  {docs.map(({ packageId, name, companyPhone, createdDate }) => (
                    <Row
                      key={packageId}
                      cells={[
                        <TextLink key="name" to="/console/ato/packages/$packageId" params={{ packageId }} fw={600}>
                          {name}
                        </TextLink>,
                        companyPhone ?? words.time.none,
                        <Time key="made" at={createdDate} />,
                      ]}
                    />
                  ))}
                </Rows>
              )}
            </Card>
          )}
        </Loaded>
        <Requests key={clientId} clientId={clientId} />
      </Stack>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={say.addPackage}>
        <NewPackageForm clientId={clientId} onClose={() => setAdding(false)} />
      </Dialog>
    </>
  )
}

function Requests({ clientId }: { readonly clientId: string }) {
  const navigate = route.useNavigate()
  const { page = 1 } = route.useSearch()
  const requests = useQuery({
    ...query(listAtoRequests, { clientId, page, limit: 20 }),
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={requests}>
      {({ docs, pages, total }) => (
        <Card title={say.requests} isFlush>
          {docs.length === 0 ? (
            <Empty icon={FileCheck} title={say.noRequests}>
              {say.noRequestsText}
            </Empty>
          ) : (
            <RequestRows requests={docs} />
          )}
          <Pager
            page={page}
            pages={pages}
            total={total}
            onChange={(next) => void navigate({ search: only({ app: clientId, page: next }) })}
          />
        </Card>
      )}
    </Loaded>
  )
}

function NewPackageForm({ clientId, onClose }: { readonly clientId: string; readonly onClose: () => void }) {
  const navigate = useNavigate()
  const add = useWrite(addAtoPackage, {
    changes: [listAtoPackages],
    onDone: ({ packageId }) =>
      void navigate({ to: '/console/ato/packages/$packageId', params: { packageId }, ignoreBlocker: true }),
  })
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', phone: '' },
    validate: { name: (value) => (value.trim() === '' ? sayForm.missingName : null) },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name, phone }) =>
        add.mutate({ clientId, name: name.trim(), ...(phone.trim() !== '' && { companyPhone: phone.trim() }) }),
      )}
    >
      <Stack>
        {add.error && <Problem title={say.addPackageFailed} error={add.error} />}
        <Text size="sm">{say.packagesText}</Text>
        <TextInput
          label={say.packageName}
          description={say.packageNameHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={200}
          key={form.key('name')}
          {...form.getInputProps('name')}
        />
        <TextInput
          label={say.phone}
          description={say.phoneHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={50}
          key={form.key('phone')}
          {...form.getInputProps('phone')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {say.addPackage}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
