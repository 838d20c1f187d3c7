import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useHere } from '../../api/here.ts'
import { createOrganisation, listOrganisations, type Organisation } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Building2, Plus } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { sortDocs } from '../../parts/sort-docs.ts'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'

const route = getRouteApi('/signed-in/console/organisations')
const { organisations: say, organisation: sayOne } = consoleWords
const { form: sayForm } = words
const ORDER = ['label', 'input', 'description', 'error'] as const

const COLUMNS = {
  name: ({ name }: Organisation) => name,
  key: ({ organisation }: Organisation) => organisation,
  role: ({ role }: Organisation) => (role === null ? say.noRole : (sayOne.roles[role] ?? role)),
}

export function OrganisationListPage() {
  const list = useQuery(route.useLoaderData().organisations)
  const sort = useSort('')
  const mayCreate = useHere().person?.may.createOrganisation ?? false
  const [isAdding, setAdding] = useState(false)
  const add = mayCreate && (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {say.add}
    </Button>
  )
  return (
    <>
      <PageHead title={say.title} lead={say.lead} action={add} />
      <Loaded query={list}>
        {({ docs, pages }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={Building2} title={say.empty}>
                {say.emptyText}
              </Empty>
            ) : (
              <Rows
                label={say.title}
                head={[
                  { title: sayForm.name, sort: 'name' },
                  { title: say.key, sort: 'key' },
                  { title: say.role, sort: 'role' },
                ]}
                {...(pages === 1 && { sort })}
                minWidth={320}
              >
                {(pages === 1 ? sortDocs(docs, sort.by, COLUMNS) : docs).map(({ organisation, name, role }) => (
                  <Row
                    key={organisation}
                    cells={[
                      <TextLink key="name" to="/console/organisations/$organisation" params={{ organisation }} fw={600}>
                        {name}
                      </TextLink>,
                      organisation,
                      role === null ? say.noRole : (sayOne.roles[role] ?? role),
                    ]}
                  />
                ))}
              </Rows>
            )}
          </Card>
        )}
      </Loaded>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={say.add}>
        <NewOrganisationForm onClose={() => setAdding(false)} />
      </Dialog>
    </>
  )
}

function NewOrganisationForm({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const create = useWrite(createOrganisation, {
    changes: [listOrganisations],
    onDone: ({ organisation, name }) => {
      notify(say.made(name))
      void navigate({ to: '/console/organisations/$organisation', params: { organisation }, ignoreBlocker: true })
    },
  })
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', organisation: '', owner: '' },
    validate: {
      name: (value) => (value.trim() === '' ? sayForm.missingName : null),
      organisation: (value) => (/^[a-z0-9]([a-z0-9-]{0,58}[a-z0-9])?$/.test(value) ? null : say.missingKey),
    },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ owner, ...rest }) =>
        create.mutate({ ...rest, ...(owner.trim() !== '' && { owner: owner.trim() }) }),
      )}
    >
      <Stack>
        {create.error && <Problem title={say.failed} error={create.error} />}
        <Text size="sm">{say.addText}</Text>
        <TextInput label={sayForm.name} maxLength={200} key={form.key('name')} {...form.getInputProps('name')} />
        <TextInput
          label={say.key}
          description={say.keyHelp}
          inputWrapperOrder={[...ORDER]}
          spellCheck={false}
          key={form.key('organisation')}
          {...form.getInputProps('organisation')}
        />
        <TextInput
          label={say.owner}
          description={say.ownerHelp}
          inputWrapperOrder={[...ORDER]}
          spellCheck={false}
          key={form.key('owner')}
          {...form.getInputProps('owner')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={create.isPending}>
            {say.add}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
