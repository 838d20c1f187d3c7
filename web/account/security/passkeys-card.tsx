import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listPasskeys, type Passkey, renamePasskey } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { KeyRound, Plus } from '../../parts/icons.tsx'
import { Item, Items } from '../../parts/items.tsx'
import { notify } from '../../parts/notify.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { accountWords } from '../words.ts'
import { canUsePasskeys, dropPasskey, makePasskey } from './ceremony.ts'
import { checkProof } from './proof-field.tsx'

const { passkeys: say, fields } = accountWords
const { form: sayForm } = words

interface ProofProps {
  readonly hasPassword: boolean
}

/** Lets the person add, rename and remove their passkeys. */
export function PasskeysCard({ hasPassword }: ProofProps) {
  const list = useQuery(query(listPasskeys, {}))
  const [isAdding, setAdding] = useState(false)
  return (
    <Card
      title={say.title}
      action={
        canUsePasskeys && (
          <Button size="xs" leftSection={<Plus size={16} aria-hidden />} onClick={() => setAdding(true)}>
            {say.add}
          </Button>
        )
      }
      isFlush
    >
      <Text size="sm" c="dimmed" px={20} pb="md">
        {say.text} {!canUsePasskeys && say.unable} {list.data?.length === 0 && say.none}
      </Text>
      <Loaded query={list} lines={1}>
        {(passkeys) =>
          passkeys.length > 0 && (
            <Items label={say.title}>
              {passkeys.map((passkey) => (
                <PasskeyItem key={passkey.passkeyId} passkey={passkey} hasPassword={hasPassword} />
              ))}
            </Items>
          )
        }
      </Loaded>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={say.add}>
        <AddForm hasPassword={hasPassword} onClose={() => setAdding(false)} />
      </Dialog>
    </Card>
  )
}

function PasskeyItem({ passkey, hasPassword }: ProofProps & { readonly passkey: Passkey }) {
  const { name, createdDate, lastUsedDate } = passkey
  const [open, setOpen] = useState<'rename' | 'remove'>()
  const close = () => setOpen(undefined)
  return (
    <Item
      lead={<KeyRound size={20} aria-hidden />}
      title={<bdi>{name}</bdi>}
      sub={
        <>
          {say.addedOn} <Time at={createdDate} />,{' '}
          {lastUsedDate === null ? (
            say.notUsed
          ) : (
            <>
              {say.used} <Time at={lastUsedDate} />
            </>
          )}
        </>
      }
      action={
        <Group gap="xs">
          <Button variant="default" size="xs" aria-label={say.renameOf(name)} onClick={() => setOpen('rename')}>
            {say.rename}
          </Button>
          <Button
            variant="light"
            color="red"
            size="xs"
            aria-label={say.removeOf(name)}
            onClick={() => setOpen('remove')}
          >
            {say.remove}
          </Button>
          <Dialog isOpen={open === 'rename'} onClose={close} title={say.renameOf(name)}>
            <RenameForm passkey={passkey} onClose={close} />
          </Dialog>
          <Dialog isOpen={open === 'remove'} onClose={close} title={say.removeTitle(name)}>
            <RemoveForm passkey={passkey} hasPassword={hasPassword} onClose={close} />
          </Dialog>
        </Group>
      }
    />
  )
}

interface Closing {
  readonly onClose: () => void
}

function AddForm({ hasPassword, onClose }: ProofProps & Closing) {
  const add = useWrite(makePasskey, {
    changes: [listPasskeys],
    onDone: () => {
      onClose()
      notify(say.added)
    },
  })
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: { password: checkProof(hasPassword) },
  })
  useUnsaved(() => form.isDirty('name'))
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name, password }) =>
        add.mutate({ name: name.trim(), ...(hasPassword && { password }) }),
      )}
    >
      <Stack>
        {add.error && <Problem title={say.addFailed} error={add.error} />}
        <TextInput
          label={say.name}
          description={say.nameHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          maxLength={100}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Prove hasPassword={hasPassword} input={form.getInputProps('password')} />
        <Ends go={say.add} isPending={add.isPending} onClose={onClose} />
      </Stack>
    </form>
  )
}

const Prove = ({ hasPassword, input }: ProofProps & { readonly input: object }) =>
  hasPassword ? (
    <PasswordInput label={fields.ownPassword} autoComplete="current-password" maxLength={1000} {...input} />
  ) : (
    <Text size="sm" c="dimmed">
      {say.prove}
    </Text>
  )

interface EndsProps extends Closing {
  readonly go: string
  readonly isPending: boolean
  readonly isDangerous?: boolean
}

const Ends = ({ go, isPending, isDangerous = false, onClose }: EndsProps) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClose}>
      {sayForm.cancel}
    </Button>
    <Button type="submit" loading={isPending} {...(isDangerous && { color: 'red' })}>
      {go}
    </Button>
  </Group>
)

function RenameForm({ passkey, onClose }: Closing & { readonly passkey: Passkey }) {
  const rename = useWrite(renamePasskey, {
    changes: [listPasskeys],
    onDone: () => {
      onClose()
      notify(say.renamed)
    },
  })
  const form = useForm({
    initialValues: { name: passkey.name },
    validate: { name: (name) => (name.trim() === '' ? sayForm.missingName : null) },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ name }) => rename.mutate({ passkeyId: passkey.passkeyId, name: name.trim() }))}
    >
      <Stack>
        {rename.error && <Problem title={say.renameFailed} error={rename.error} />}
        <TextInput label={say.name} maxLength={100} autoComplete="off" data-autofocus {...form.getInputProps('name')} />
        <Ends go={sayForm.save} isPending={rename.isPending} onClose={onClose} />
      </Stack>
    </form>
  )
}

function RemoveForm({ passkey, hasPassword, onClose }: ProofProps & Closing & { readonly passkey: Passkey }) {
  const remove = useWrite(dropPasskey, {
    changes: [listPasskeys],
    onDone: () => {
      onClose()
      notify(say.removed(passkey.name))
    },
  })
  const form = useForm({ initialValues: { password: '' }, validate: { password: checkProof(hasPassword) } })
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ password }) =>
        remove.mutate({ passkeyId: passkey.passkeyId, ...(hasPassword && { password }) }),
      )}
    >
      <Stack>
        {remove.error && <Problem title={say.removeFailed} error={remove.error} />}
        <Text size="sm">{say.removeText}</Text>
        <Prove hasPassword={hasPassword} input={form.getInputProps('password')} />
        <Ends go={say.remove} isPending={remove.isPending} isDangerous onClose={onClose} />
      </Stack>
    </form>
  )
}
