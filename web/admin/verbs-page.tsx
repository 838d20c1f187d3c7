import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { addVerb, countStatements, listVerbs, removeVerb, type Verb } from '../api/operations.ts'
import { query, useWrite } from '../api/query.ts'
import { Card } from '../parts/card.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { BookA, Plus } from '../parts/icons.tsx'
import { notify, offerUndo } from '../parts/notify.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Row, Rows } from '../parts/rows.tsx'
import { only } from '../parts/search.ts'
import { sortDocs } from '../parts/sort-docs.ts'
import { useSort } from '../parts/sorted.ts'
import { Empty, Loaded, Problem } from '../parts/states.tsx'
import { useUnsaved } from '../parts/unsaved.tsx'
import { words } from '../parts/words.ts'
import { adminWords } from './words.ts'

const { verbs: say } = adminWords
const { form } = words
const ORDER = ['label', 'input', 'description', 'error'] as const
const route = getRouteApi('/signed-in/admin/verbs')
const COLUMNS = {
  name: ({ name }: Verb) => name,
  iri: ({ verbId }: Verb) => verbId,
  origin: ({ standard }: Verb) => Number(standard),
}

export function VerbsPage() {
  const { query: typed = '', sort: sortBy } = route.useSearch()
  const sort = useSort('')
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().verbs)
  const [isAdding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Verb>()
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        action={
          <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            {say.add}
          </Button>
        }
      />
      <TextInput
        label={say.find}
        maw={360}
        mb="lg"
        value={typed}
        onChange={({ currentTarget: { value } }) =>
          void navigate({ search: only({ query: value || undefined, sort: sortBy }), replace: true })
        }
      />
      <Loaded query={list} lines={8}>
        {(verbs) => {
          const found = sortDocs(
            verbs.filter(({ name, verbId }) => `${name} ${verbId}`.toLowerCase().includes(typed.toLowerCase())),
            sortBy,
            COLUMNS,
          )
          return (
            <Card isFlush>
              {found.length === 0 ? (
                <Empty icon={BookA} title={form.nothing} />
              ) : (
                <Rows
                  label={say.title}
                  head={[
                    { title: say.name, sort: 'name' },
                    { title: say.iri, sort: 'iri' },
                    { title: say.origin, sort: 'origin' },
                    say.actions,
                  ]}
                  sort={sort}
                >
                  {found.map((verb) => (
                    <Row
                      key={verb.verbId}
                      cells={[
                        <Text key="name" fw={600}>
                          {verb.name}
                        </Text>,
                        <Text key="iri" size="sm">
                          {verb.verbId}
                        </Text>,
                        <Badge key="origin" color={verb.standard ? 'gray' : 'sky'}>
                          {verb.standard ? say.standard : say.own}
                        </Badge>,
                        !verb.standard && (
                          <Button
                            key="remove"
                            size="compact-sm"
                            variant="subtle"
                            color="red"
                            onClick={() => setRemoved(verb)}
                            aria-label={say.removeOf(verb.name)}
                          >
                            {say.remove}
                          </Button>
                        ),
                      ]}
                    />
                  ))}
                </Rows>
              )}
            </Card>
          )
        }}
      </Loaded>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={say.add}>
        <NewVerbForm onClose={() => setAdding(false)} />
      </Dialog>
      {removed && <RemoveVerb verb={removed} onClose={() => setRemoved(undefined)} />}
    </>
  )
}

function NewVerbForm({ onClose }: { readonly onClose: () => void }) {
  const add = useWrite(addVerb, {
    changes: [listVerbs],
    onDone: ({ name }) => {
      notify(say.added(name))
      onClose()
    },
  })
  const fields = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', verbId: '' },
    validate: {
      name: (value) => (value.trim() === '' ? say.missingName : null),
      verbId: (value) => (/^[a-z][a-z0-9+.-]*:\S+$/i.test(value.trim()) ? null : say.missingIri),
    },
  })
  useUnsaved(() => fields.isDirty())
  return (
    <form
      noValidate
      onSubmit={fields.onSubmit(({ name, verbId }) => add.mutate({ name: name.trim(), verbId: verbId.trim() }))}
    >
      <Stack>
        {add.error && <Problem title={say.failed} error={add.error} />}
        <Text size="sm">{say.addText}</Text>
        <TextInput
          label={say.name}
          description={say.nameHelp}
          inputWrapperOrder={[...ORDER]}
          maxLength={200}
          key={fields.key('name')}
          {...fields.getInputProps('name')}
        />
        <TextInput
          label={say.iri}
          description={say.iriHelp}
          inputWrapperOrder={[...ORDER]}
          spellCheck={false}
          key={fields.key('verbId')}
          {...fields.getInputProps('verbId')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {form.cancel}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {say.add}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function RemoveVerb({ verb: { verbId, name }, onClose }: { readonly verb: Verb; readonly onClose: () => void }) {
  const used = useQuery(query(countStatements, { verb: verbId }))
  const restore = useWrite(addVerb, { changes: [listVerbs] })
  const remove = useWrite(removeVerb, {
    changes: [listVerbs],
    onDone: () => {
      offerUndo(say.removed(name), () => restore.mutate({ verbId, name }))
      onClose()
    },
  })
  return (
    <Confirm
      isOpen
      title={say.removeTitle(name)}
      go={say.remove}
      isPending={remove.isPending}
      error={remove.error}
      onGo={() => remove.mutate({ verbId })}
      onClose={onClose}
    >
      {say.removeText} {used.data && say.statements(used.data.count)}
    </Confirm>
  )
}
