import { Button, Group, List, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  correctPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  type PersonDeletion,
  readPersonDeletion,
  withdrawPersonInvitation,
} from '../api/operations.ts'
import { query, useWrite } from '../api/query.ts'
import { Confirm } from './confirm.tsx'
import { Dialog } from './dialog.tsx'
import { notify } from './notify.tsx'
import { personWords as say } from './person-words.ts'
import { ReasonDialog } from './reason-dialog.tsx'
import { SameAddress } from './same-address.tsx'
import { Loaded, Problem } from './states.tsx'
import { Unsaved, useUnsaved } from './unsaved.tsx'
import { words } from './words.ts'

const { form: sayForm } = words

export interface EditedPerson {
  readonly handle: string
  readonly firstName: string
  readonly lastName: string
  readonly email: string | null
}

export type PersonAction = 'edit' | 'disable' | 'enable' | 'delete' | 'withdraw'

interface PersonDialogProps {
  readonly person: EditedPerson
  readonly action: PersonAction
  /** Reads that the change makes stale. */
  readonly changes: NonNullable<NonNullable<Parameters<typeof useWrite>[1]>['changes']>
  readonly onDone?: (handle: string | undefined) => void
  readonly onClose: () => void
}

const nameOf = ({ firstName, lastName, handle }: EditedPerson) => `${firstName} ${lastName}`.trim() || handle

/** The dialog of an action on somebody's account, for administrators and for owners of the managing organisation. */
export const PersonDialog = (props: PersonDialogProps) => {
  const { action, person, onClose } = props
  if (action === 'edit')
    return (
      <Dialog isOpen title={say.editTitle(nameOf(person))} onClose={onClose}>
        <EditForm {...props} />
      </Dialog>
    )
  if (action === 'delete') return <DeleteDialog {...props} />
  if (action === 'withdraw') return <WithdrawDialog {...props} />
  return <DisableDialog {...props} />
}

function EditForm({ person, changes, onDone, onClose }: PersonDialogProps) {
  const save = useWrite(correctPerson, {
    changes,
    onDone: (saved) => {
      notify(say.saved(saved.name || saved.handle))
      onClose()
      onDone?.(saved.handle)
    },
  })
  const { handle, firstName, lastName, email } = person
  const form = useForm({
    initialValues: { handle, firstName, lastName, email: email ?? '', allowSameAddress: false },
    validate: { handle: (value) => (value.trim() === '' ? sayForm.missingName : null) },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) =>
        save.mutate({
          handle,
          firstName: values.firstName,
          lastName: values.lastName,
          ...(values.handle.trim() !== handle && { newHandle: values.handle.trim() }),
          ...(values.email.trim() !== (email ?? '') && { email: values.email.trim() }),
          allowSameAddress: values.allowSameAddress,
        }),
      )}
    >
      <Stack>
        {save.error && <Problem title={say.saveFailed} error={save.error} />}
        <TextInput label={say.firstName} maxLength={100} {...form.getInputProps('firstName')} />
        <TextInput label={say.lastName} maxLength={100} {...form.getInputProps('lastName')} />
        <TextInput label={say.handle} maxLength={31} spellCheck={false} {...form.getInputProps('handle')} />
        <TextInput
          label={say.email}
          description={say.emailHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          type="email"
          maxLength={254}
          {...form.getInputProps('email')}
        />
        <SameAddress
          error={save.error}
          isAllowed={form.values.allowSameAddress}
          onChange={(isAllowed) => form.setFieldValue('allowSameAddress', isAllowed)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {sayForm.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function DisableDialog({ person, action, changes, onClose }: PersonDialogProps) {
  const isDisabling = action === 'disable'
  const name = nameOf(person)
  const decide = useWrite(isDisabling ? disablePerson : enablePerson, {
    changes,
    onDone: () => {
      notify((isDisabling ? say.disabled : say.enabled)(name))
      onClose()
    },
  })
  return (
    <ReasonDialog
      title={(isDisabling ? say.disableTitle : say.enableTitle)(name)}
      go={isDisabling ? say.disable : say.enable}
      help={say.reasonHelp}
      isDangerous={isDisabling}
      isPending={decide.isPending}
      error={decide.error}
      onGo={(reason) => decide.mutate({ handle: person.handle, reason })}
      onClose={onClose}
    >
      {isDisabling ? say.disableText : say.enableText}
    </ReasonDialog>
  )
}

function WithdrawDialog({ person, changes, onDone, onClose }: PersonDialogProps) {
  const name = nameOf(person)
  const withdraw = useWrite(withdrawPersonInvitation, {
    changes,
    onDone: () => {
      notify(say.withdrawn(name))
      onClose()
      onDone?.(undefined)
    },
  })
  return (
    <Confirm
      isOpen
      title={say.withdrawTitle(name)}
      go={say.withdraw}
      isPending={withdraw.isPending}
      error={withdraw.error}
      onGo={() => withdraw.mutate({ handle: person.handle })}
      onClose={onClose}
    >
      {say.withdrawText}
    </Confirm>
  )
}

function DeleteDialog({ person, changes, onDone, onClose }: PersonDialogProps) {
  const { handle } = person
  const name = nameOf(person)
  const [reason, setReason] = useState('')
  const follows = useQuery(query(readPersonDeletion, { handle }))
  const remove = useWrite(deletePerson, {
    changes,
    onDone: () => {
      notify(say.removed(name))
      onClose()
      onDone?.(undefined)
    },
  })
  return (
    <Confirm
      isOpen
      title={say.removeTitle(name)}
      go={say.remove}
      word={handle}
      isPending={remove.isPending}
      error={remove.error}
      proof={
        <>
          <Unsaved hasChanges={() => reason.trim() !== ''} />
          <TextInput
            label={say.reason}
            description={say.reasonHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={250}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </>
      }
      onGo={() => remove.mutate({ handle, reason: reason.trim() })}
      onClose={onClose}
    >
      <Stack gap="xs">
        <div>{say.removeText}</div>
        <Loaded query={follows} lines={2}>
          {(counts) => <Consequences counts={counts} />}
        </Loaded>
      </Stack>
    </Confirm>
  )
}

function Consequences({ counts }: { readonly counts: PersonDeletion }) {
  const lines = [
    counts.classesTaught > 0 && say.taught(counts.classesTaught),
    counts.classesAttended > 0 && say.attended(counts.classesAttended),
    counts.appsOwned > 0 && say.apps(counts.appsOwned),
    counts.organisationsOwned > 0 && say.owned(counts.organisationsOwned),
    counts.organisationsWithoutOwner.length > 0 && say.ownerless(counts.organisationsWithoutOwner.join(', ')),
  ].filter((line) => line !== false)
  if (lines.length === 0) return null
  return (
    <List size="sm">
      {lines.map((line) => (
        <List.Item key={line}>{line}</List.Item>
      ))}
    </List>
  )
}
