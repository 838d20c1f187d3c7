import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { addChild, type Child, listChildren, readSettings } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Plus, UsersRound } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { nameOf, PersonAvatar } from '../../parts/person.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { sayDay } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { checkNewPassword } from '../security/proof-field.tsx'
import { accountWords } from '../words.ts'

const route = getRouteApi('/signed-in/account/children')
const { children: say, fields } = accountWords
const { form: sayForm } = words

export function ChildrenPage() {
  const list = useQuery(route.useLoaderData().children)
  const mayAdd = useQuery(route.useLoaderData().settings).data?.may.lookAfterChildren ?? false
  const [isAdding, setAdding] = useState(false)
  const add = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {say.add}
    </Button>
  )
  return (
    <>
      <PageHead title={say.title} lead={say.lead} action={mayAdd && list.data && list.data.length > 0 && add} />
      <Loaded query={list}>
        {(children) => (
          <Card isFlush>
            {children.length === 0 ? (
              <Empty icon={UsersRound} title={mayAdd ? say.empty : say.onlyAdults} action={mayAdd && add}>
                {mayAdd ? say.emptyText : say.onlyAdultsText}
              </Empty>
            ) : (
              <Items label={say.title}>
                {children.map((child) => (
                  <ChildItem key={child.handle} child={child} />
                ))}
              </Items>
            )}
          </Card>
        )}
      </Loaded>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={say.addTitle}>
        <AddForm onClose={() => setAdding(false)} />
      </Dialog>
    </>
  )
}

const ChildItem = ({ child }: { readonly child: Child }) => (
  <Item
    lead={<PersonAvatar person={child} isKnown />}
    title={
      <TextLink to="/account/children/$handle" params={{ handle: child.handle }}>
        <bdi>{nameOf(child)}</bdi>
      </TextLink>
    }
    sub={
      <>
        {child.handle}, {say.born(sayDay(child.dateOfBirth))}
      </>
    }
    action={
      child.friendRequests > 0 && (
        <TextLink
          to="/account/children/$handle/friends"
          params={{ handle: child.handle }}
          search={{ list: 'received' }}
          size="sm"
        >
          {say.requests(child.friendRequests)}
        </TextLink>
      )
    }
  />
)

function AddForm({ onClose }: { readonly onClose: () => void }) {
  const navigate = useNavigate()
  const add = useWrite(addChild, {
    changes: [listChildren, readSettings],
    onDone: (child) => {
      onClose()
      notify(say.added(nameOf(child)))
      void navigate({ to: '/account/children/$handle', params: { handle: child.handle }, ignoreBlocker: true })
    },
  })
  const form = useForm({
    initialValues: { handle: '', firstName: '', lastName: '', dateOfBirth: '', password: '' },
    validate: {
      handle: (handle) => (handle.trim() === '' ? say.missingHandle : null),
      dateOfBirth: (day) => (day === '' ? say.missingBirth : null),
      password: (password) => (password === '' ? null : checkNewPassword(password)),
    },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ handle, password, ...values }) =>
        add.mutate({ handle: handle.trim(), ...values, ...(password !== '' && { password }) }),
      )}
    >
      <Stack>
        {add.error && <Problem title={say.addFailed} error={add.error} />}
        <Text size="sm">{say.addText}</Text>
        <TextInput
          label={fields.handle}
          description={say.handleHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={31}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('handle')}
        />
        <TextInput label={fields.firstName} maxLength={100} autoComplete="off" {...form.getInputProps('firstName')} />
        <TextInput label={fields.lastName} maxLength={100} autoComplete="off" {...form.getInputProps('lastName')} />
        <TextInput
          label={say.birth}
          description={say.birthHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          type="date"
          {...form.getInputProps('dateOfBirth')}
        />
        <PasswordInput
          label={say.childPassword}
          description={say.childPasswordHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autoComplete="new-password"
          maxLength={1000}
          {...form.getInputProps('password')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={add.isPending}>
            {say.add}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
