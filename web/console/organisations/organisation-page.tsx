import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Building2, Plus, Users } from 'lucide-react'
import { useState } from 'react'
import {
  listOrganisationMembers,
  listOrganisations,
  listSentInvitations,
  type Organisation,
  type OrganisationMember,
  readOrganisation,
  removeOrganisationMember,
  renameOrganisation,
  setOrganisationMember,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { invitationWords } from '../../parts/invitation-words.ts'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { SentInvitations } from '../../parts/sent-invitations.tsx'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'

const route = getRouteApi('/signed-in/console/organisations/$organisation')
const { organisation: say, organisations: sayAll } = consoleWords
const { form: sayForm } = words
const CHANGED = [listOrganisationMembers, listSentInvitations, listOrganisations, readOrganisation]
type Role = Parameters<typeof setOrganisationMember>[0]['role']
const ROLES = ['owner', 'developer', 'instructor', 'member'] as const satisfies readonly Role[]
const roleData = ROLES.map((value) => ({ value, label: say.roles[value]! }))

export function OrganisationPage() {
  const found = useQuery(route.useLoaderData().organisation)
  return <Loaded query={found}>{(one) => <OrganisationContent one={one} />}</Loaded>
}

/** Shows an organisation, and also its members to people who manage it. */
function OrganisationContent({ one: { organisation, name, may } }: { readonly one: Organisation }) {
  const [open, setOpen] = useState<'add' | 'rename'>()
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
              <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen('add')}>
                {say.add}
              </Button>
            </Group>
          )
        }
      />
      {may.manage ? (
        <Stack gap="lg">
          <SentInvitations target={{ organisation }} />
          <Members organisation={organisation} />
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
      <Dialog isOpen={open === 'rename'} onClose={close} title={say.renameTitle}>
        <RenameForm organisation={organisation} name={name} onClose={close} />
      </Dialog>
    </>
  )
}

function Members({ organisation }: { readonly organisation: string }) {
  const { page = 1, sort: sortBy } = route.useSearch()
  const sort = useSort('handle')
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().members)
  return (
    <Loaded query={list}>
      {({ docs, pages, total }) => (
        <Card title={say.members} action={<Text c="dimmed">{say.membersCount(total)}</Text>} isFlush>
          {docs.length === 0 ? (
            <Empty icon={Users} title={say.empty}>
              {say.emptyText}
            </Empty>
          ) : (
            <Rows
              label={say.members}
              head={[
                { title: say.member, sort: 'name' },
                { title: say.role, sort: 'role' },
              ]}
              hasActions
              sort={sort}
              minWidth={460}
            >
              {docs.map(({ handle, ...member }) => (
                <MemberRow key={handle} organisation={organisation} member={{ ...member, handle: handle! }} />
              ))}
            </Rows>
          )}
          <Pager
            page={page}
            pages={pages}
            total={total}
            onChange={(next) => void navigate({ search: only({ page: next > 1 ? next : undefined, sort: sortBy }) })}
          />
        </Card>
      )}
    </Loaded>
  )
}

function MemberRow({ organisation, member }: { readonly organisation: string; readonly member: OrganisationMember }) {
  const { handle, role } = member
  const name = `${member.firstName} ${member.lastName}`.trim() || handle
  const set = useWrite(setOrganisationMember, { changes: CHANGED })
  const setRole = (next: string) =>
    set.mutate(
      { organisation, handle, role: next as Role },
      { onSuccess: () => notify(say.roleSet(name, say.roles[next] ?? next)) },
    )
  const [isAsking, setAsking] = useState(false)
  // Only an invitation brings a member back, so removing asks for confirmation and offers no Undo. The callback is
  // passed to the hook, because `mutate` drops its own callbacks once the row is unmounted.
  const remove = useWrite(removeOrganisationMember, { changes: CHANGED, onDone: () => notify(say.removed(name)) })
  const error = set.error ?? remove.error
  return (
    <Row
      cells={[
        <>
          <Text size="sm" fw={550}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {handle}
          </Text>
          {error && <Problem title={say.changeFailed} error={error} />}
        </>,
        <Select
          key="role"
          aria-label={say.roleOf(name)}
          data={
            roleData.some(({ value }) => value === role)
              ? roleData
              : [...roleData, { value: role, label: say.roles[role] ?? role }]
          }
          value={role}
          onChange={(next) => next !== null && next !== role && setRole(next)}
          allowDeselect={false}
          disabled={set.isPending}
          size="xs"
          maw={180}
        />,
        <>
          <Button
            variant="subtle"
            color="red"
            size="xs"
            loading={remove.isPending}
            aria-label={say.removeOf(name)}
            onClick={() => setAsking(true)}
          >
            {say.remove}
          </Button>
          <Confirm
            isOpen={isAsking}
            title={say.removeTitle(name)}
            go={say.remove}
            isPending={remove.isPending}
            onGo={() => remove.mutate({ organisation, handle })}
            onClose={() => setAsking(false)}
          >
            {say.removeText}
          </Confirm>
        </>,
      ]}
    />
  )
}

interface FormProps {
  readonly organisation: string
  readonly onClose: () => void
}

function AddForm({ organisation, onClose }: FormProps) {
  const add = useWrite(setOrganisationMember, {
    changes: CHANGED,
    onDone: (added) => {
      notify('invitationId' in added ? invitationWords.sentTo(added.handle) : say.added(added.handle))
      onClose()
    },
  })
  const form = useForm({
    initialValues: { handle: '', role: 'member' as Role },
    validate: { handle: (value) => (value.trim() === '' ? say.missingHandle : null) },
  })
  useUnsaved(() => form.isDirty())
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ handle, role }) => add.mutate({ organisation, handle: handle.trim(), role }))}
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
    changes: CHANGED,
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
