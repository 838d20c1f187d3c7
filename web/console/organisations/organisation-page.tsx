import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { type Organisation, renameOrganisation, setOrganisationMember } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Announcements } from '../../parts/announcements.tsx'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Building2, FileUp, Plus } from '../../parts/icons.tsx'
import { invitationWords } from '../../parts/invitation-words.ts'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { MEMBER_CHANGES } from '../../parts/member-changes.ts'
import { notify } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { personWords } from '../../parts/person-words.ts'
import { SentInvitations } from '../../parts/sent-invitations.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { CourseAuthors } from './course-authors.tsx'
import { Members, type Role, roleData } from './members.tsx'
import { TimeZone } from './time-zone.tsx'

const route = getRouteApi('/signed-in/console/organisations/$organisation')
const { organisation: say, organisations: sayAll } = consoleWords
const { form: sayForm } = words
/** The dialogs below are loaded only when they are opened, because few people do. */
const PeopleImport = onDemand(async () => (await import('../../parts/people-import.tsx')).PeopleImport)
const SignUpSettings = onDemand(async () => (await import('./sign-up-settings.tsx')).SignUpSettings)

export function OrganisationPage() {
  const found = useQuery(route.useLoaderData().organisation)
  return <Loaded query={found}>{(one) => <OrganisationContent one={one} />}</Loaded>
}

/** Shows an organisation, and also its members to people who manage it. */
function OrganisationContent({ one }: { readonly one: Organisation }) {
  const { organisation, name, may } = one
  const [open, setOpen] = useState<'add' | 'import' | 'rename' | 'signUp'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <PageHead
        title={name}
        lead={organisation}
        above={
          <TextLink to="/console/organisations" size="sm">
            {sayAll.title}
          </TextLink>
        }
        action={
          may.manage && (
            <Group>
              <Button variant="default" onClick={() => setOpen('rename')}>
                {say.rename}
              </Button>
              <Button variant="default" onClick={() => setOpen('signUp')}>
                {say.signUp}
              </Button>
              <ButtonLink
                to="/console/organisations/$organisation/provider"
                params={{ organisation }}
                variant="default"
              >
                {say.provider}
              </ButtonLink>
              <Button
                variant="default"
                leftSection={<FileUp size={16} aria-hidden />}
                onClick={() => setOpen('import')}
              >
                {say.import}
              </Button>
              <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen('add')}>
                {say.add}
              </Button>
            </Group>
          )
        }
      />
      {may.manage ? (
        <Stack gap="lg">
          <Announcements target={{ organisation }} name={name} />
          <SentInvitations target={{ organisation }} />
          <Members organisation={organisation} />
          <CourseAuthors organisation={one} />
          <TimeZone organisation={one} />
        </Stack>
      ) : (
        <Card>
          <Empty icon={Building2} title={say.notManaged}>
            {say.notManagedText}
          </Empty>
        </Card>
      )}
      <Dialog isOpen={open === 'add'} onClose={close} title={say.add}>
        <AddForm organisation={organisation} onClose={close} />
      </Dialog>
      <Dialog isOpen={open === 'import'} onClose={close} title={say.import}>
        <PeopleImport organisation={organisation} onClose={close} />
      </Dialog>
      <Dialog isOpen={open === 'signUp'} onClose={close} title={say.signUp}>
        <SignUpSettings organisation={organisation} onClose={close} />
      </Dialog>
      <Dialog isOpen={open === 'rename'} onClose={close} title={say.renameTitle}>
        <RenameForm organisation={organisation} name={name} onClose={close} />
      </Dialog>
    </>
  )
}

interface FormProps {
  readonly organisation: string
  readonly onClose: () => void
}

function AddForm({ organisation, onClose }: FormProps) {
  const add = useWrite(setOrganisationMember, {
    changes: MEMBER_CHANGES,
    onDone: (added) => {
      notify('invitationId' in added ? invitationWords.sentTo(added.handle) : say.added(added.handle))
      onClose()
    },
  })
  const form = useForm({
    initialValues: { handle: '', firstName: '', lastName: '', role: 'member' as Role },
    validate: { handle: (value) => (value.trim() === '' ? say.missingHandle : null) },
  })
  useUnsaved(() => form.isDirty())
  // The names are for the account that is created if nobody has the address.
  const isAddress = /\S@/.test(form.values.handle)
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ handle, role, ...names }) =>
        add.mutate({ organisation, handle: handle.trim(), role, ...(isAddress && names) }),
      )}
    >
      <Stack>
        {add.error && <Problem title={say.addFailed} error={add.error} />}
        <Text size="sm">{say.addText}</Text>
        <TextInput
          label={say.handle}
          description={say.handleHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          spellCheck={false}
          {...form.getInputProps('handle')}
        />
        {isAddress && (
          <>
            <TextInput label={personWords.firstName} maxLength={100} {...form.getInputProps('firstName')} />
            <TextInput label={personWords.lastName} maxLength={100} {...form.getInputProps('lastName')} />
          </>
        )}
        <Select
          label={say.role}
          description={say.rolesHelp[form.values.role]}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data={roleData}
          allowDeselect={false}
          {...form.getInputProps('role')}
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

function RenameForm({ organisation, name, onClose }: FormProps & { readonly name: string }) {
  const rename = useWrite(renameOrganisation, {
    changes: MEMBER_CHANGES,
    onDone: () => {
      notify(say.renamed)
      onClose()
    },
  })
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name },
    validate: { name: (value) => (value.trim() === '' ? sayForm.missingName : null) },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form noValidate onSubmit={form.onSubmit((values) => rename.mutate({ organisation, name: values.name.trim() }))}>
      <Stack>
        {rename.error && <Problem title={say.renameFailed} error={rename.error} />}
        <TextInput label={sayForm.name} maxLength={200} key={form.key('name')} {...form.getInputProps('name')} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {sayForm.cancel}
          </Button>
          <Button type="submit" loading={rename.isPending}>
            {sayForm.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
