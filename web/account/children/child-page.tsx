import { Button, Group, NativeSelect, PasswordInput, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type Child,
  changeChild,
  deleteChild,
  leaveChild,
  listChildPasskeys,
  listChildren,
  setChildPassword,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { notify } from '../../parts/notify.tsx'
import { nameOf } from '../../parts/person.tsx'
import { SavedBox } from '../../parts/saved-box.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { InvitationsCard, invitationsOf } from '../invitations/invitation-items.tsx'
import { countryChoices } from '../profile/countries.ts'
import { EmailForm } from '../security/email-form.tsx'
import { PasskeyBoxes } from '../security/passkey-boxes.tsx'
import { checkNewPassword, checkProof, ProofField, proofOf } from '../security/proof-field.tsx'
import { accountWords } from '../words.ts'
import { useChild } from './use-child.ts'

const { child: say, fields } = accountWords
const { form: sayForm } = words
const route = getRouteApi('/signed-in/account/children/$handle/')

/** Shows the settings of a child that a parent may change. */
export function ChildPage() {
  const child = useChild()
  const loaded = route.useLoaderData()
  const hasPassword = useQuery(loaded.settings).data?.hasPassword ?? true
  const received = useQuery(loaded.invitations).data ?? []
  const invitations = child ? invitationsOf(received, child) : []
  return (
    child && (
      <Stack gap="lg" mt="lg">
        {invitations.length > 0 && <InvitationsCard invitations={invitations} />}
        <Decisions child={child} />
        <Names key={`${child.firstName} ${child.lastName} ${child.country}`} child={child} />
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          <Email key={child.email} child={child} hasPassword={hasPassword} />
          <Password child={child} hasPassword={hasPassword} />
        </SimpleGrid>
        <Danger child={child} hasPassword={hasPassword} />
      </Stack>
    )
  )
}

interface ChildProps {
  readonly child: Child
}
interface ProofProps {
  /** Whether the parent has a password to confirm with. */
  readonly hasPassword: boolean
}

/** Checkboxes for what a parent allows. They are saved immediately, because each can be undone in the same place. */
function Decisions({ child: { handle, publicSearch, parentFlags } }: ChildProps) {
  const change = useWrite(changeChild, { changes: [listChildren], onDone: () => notify(say.saved) })
  const box = (name: 'publicSearch' | 'cameraDisabled' | 'proximityFriends', isOn: boolean) => (
    <SavedBox
      label={say[name]}
      isOn={isOn}
      isDisabled={change.isPending}
      save={(value, onSettled) => change.mutate({ handle, [name]: value }, { onSettled })}
    />
  )
  return (
    <Card title={say.decisions}>
      <Stack>
        {change.error && <Problem title={say.saveFailed} error={change.error} />}
        {box('publicSearch', publicSearch)}
        {box('cameraDisabled', parentFlags.cameraDisabled)}
        {box('proximityFriends', parentFlags.proximityFriends)}
        <Text size="sm" c="dimmed">
          {say.decisionsHelp}
        </Text>
      </Stack>
    </Card>
  )
}

function Names({ child: { handle, firstName, lastName, country } }: ChildProps) {
  const form = useForm({ initialValues: { firstName, lastName, country } })
  const save = useWrite(changeChild, {
    changes: [listChildren],
    onDone: () => {
      form.resetDirty()
      notify(say.saved)
    },
  })
  useUnsaved(() => form.isDirty())
  return (
    <Card title={say.names}>
      <form noValidate onSubmit={form.onSubmit((values) => save.mutate({ handle, ...values }))}>
        <Stack>
          {save.error && <Problem title={say.saveFailed} error={save.error} />}
          <SimpleGrid cols={{ base: 1, sm: 3 }}>
            <TextInput
              label={fields.firstName}
              maxLength={100}
              autoComplete="off"
              {...form.getInputProps('firstName')}
            />
            <TextInput label={fields.lastName} maxLength={100} autoComplete="off" {...form.getInputProps('lastName')} />
            <NativeSelect
              label={fields.country}
              data={countryChoices(country, fields.notSaid)}
              {...form.getInputProps('country')}
            />
          </SimpleGrid>
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {sayForm.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function Email({ child: { handle, email }, hasPassword }: ChildProps & ProofProps) {
  const change = useWrite(changeChild, { changes: [listChildren], onDone: () => notify(say.saved) })
  return (
    <Card title={say.email}>
      <Stack>
        <Text size="sm">{email === '' ? say.noEmail : say.emailText}</Text>
        <EmailForm
          email={email}
          help={say.newEmailHelp}
          hasPassword={hasPassword}
          change={change}
          onChange={(what) => change.mutate({ handle, ...what })}
        />
      </Stack>
    </Card>
  )
}

function Password({ child, hasPassword }: ChildProps & ProofProps) {
  const { handle } = child
  const passkeys = useQuery(query(listChildPasskeys, { handle }))
  const form = useForm({
    initialValues: { newPassword: '', password: '', removePasskeys: [] as string[] },
    validate: { newPassword: checkNewPassword, password: checkProof(hasPassword) },
  })
  const set = useWrite(setChildPassword, {
    changes: [listChildPasskeys],
    onDone: () => {
      form.reset()
      notify(say.passwordSet(nameOf(child)))
    },
  })
  useUnsaved(() => form.isDirty('newPassword'))
  return (
    <Card title={say.password}>
      <form
        noValidate
        onSubmit={form.onSubmit(({ password, ...values }) => set.mutate({ handle, ...values, ...proofOf(password) }))}
      >
        <Stack>
          {set.error && <Problem title={say.passwordFailed} error={set.error} />}
          <Text size="sm">{say.passwordText}</Text>
          <PasswordInput
            label={say.newPassword}
            description={fields.newPasswordHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            autoComplete="new-password"
            maxLength={1000}
            {...form.getInputProps('newPassword')}
          />
          <PasskeyBoxes passkeys={passkeys.data ?? []} {...form.getInputProps('removePasskeys')} />
          <ProofField form={form} hasPassword={hasPassword} />
          <Group>
            <Button type="submit" variant="default" loading={set.isPending}>
              {say.setPassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  )
}

function Danger({ child, hasPassword }: ChildProps & ProofProps) {
  const name = nameOf(child)
  const navigate = useNavigate()
  const [open, setOpen] = useState<'leave' | 'delete'>()
  const close = () => setOpen(undefined)
  const done = (message: string) => {
    notify(message)
    void navigate({ to: '/account/children' })
  }
  const leave = useWrite(leaveChild, { changes: [listChildren], onDone: () => done(say.left(name)) })
  return (
    <Card title={sayForm.danger} isDanger>
      <Stack gap="md">
        <Group justify="space-between" align="center">
          <Text size="sm" maw={560}>
            {say.leaveText}
          </Text>
          <Button variant="light" color="red" onClick={() => setOpen('leave')}>
            {say.leave}
          </Button>
        </Group>
        <Group justify="space-between" align="center">
          <Text size="sm" maw={560}>
            {say.deleteText}
          </Text>
          <Button color="red" onClick={() => setOpen('delete')}>
            {say.delete}
          </Button>
        </Group>
      </Stack>
      <Confirm
        isOpen={open === 'leave'}
        title={say.leaveTitle(name)}
        go={say.leave}
        isPending={leave.isPending}
        error={leave.error}
        onGo={() => leave.mutate({ handle: child.handle })}
        onClose={close}
      >
        {say.leaveText}
      </Confirm>
      <AskToDelete
        child={child}
        hasPassword={hasPassword}
        isOpen={open === 'delete'}
        onClose={close}
        onDone={() => done(say.deleted(name))}
      />
    </Card>
  )
}

interface AskToDeleteProps extends ChildProps, ProofProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onDone: () => void
}

/**
 * Asks for confirmation before a child's account is deleted. The parent has to type the handle, because this cannot be
 * undone.
 */
function AskToDelete({ child, hasPassword, isOpen, onClose, onDone }: AskToDeleteProps) {
  const { handle } = child
  const form = useForm({ initialValues: { password: '' }, validate: { password: checkProof(hasPassword) } })
  const remove = useWrite(deleteChild, { changes: [listChildren], onDone })
  return (
    <Confirm
      isOpen={isOpen}
      title={say.deleteTitle(nameOf(child))}
      go={say.deleteGo}
      word={handle}
      proof={<ProofField form={form} hasPassword={hasPassword} />}
      isPending={remove.isPending}
      error={remove.error}
      onGo={form.onSubmit(({ password }) => remove.mutate({ handle, ...proofOf(password) }))}
      onClose={onClose}
    >
      {say.deleteText}
    </Confirm>
  )
}
