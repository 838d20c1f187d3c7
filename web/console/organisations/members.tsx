import { ActionIcon, Button, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type OrganisationPerson,
  removeOrganisationMember,
  resendInvitation,
  resendPersonInvitation,
  setOrganisationMember,
  withdrawInvitation,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import type { CorrectedInvitation } from '../../parts/correct-invitation.tsx'
import { type FilterField, Filters } from '../../parts/filters.tsx'
import { EllipsisVertical, Users } from '../../parts/icons.tsx'
import { invitationWords } from '../../parts/invitation-words.ts'
import { MEMBER_CHANGES } from '../../parts/member-changes.ts'
import { MenuButton } from '../../parts/menu-button.tsx'
import { notify, notifyProblem } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { Pager } from '../../parts/pager.tsx'
import type { PersonAction } from '../../parts/person-dialogs.tsx'
import { PersonStatus } from '../../parts/person-status.tsx'
import { personStatuses } from '../../parts/person-status-words.ts'
import { personWords } from '../../parts/person-words.ts'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { SelectionBar, useSelection } from '../../parts/selection.tsx'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'

const route = getRouteApi('/signed-in/console/organisations/$organisation')
const { organisation: say } = consoleWords
export type Role = Parameters<typeof setOrganisationMember>[0]['role']
const ROLES = ['owner', 'developer', 'instructor', 'member'] as const satisfies readonly Role[]
export const roleData = ROLES.map((value) => ({ value, label: say.roles[value]! }))
const FIELDS: readonly FilterField[] = [
  { name: 'query', label: say.find, placeholder: say.findHelp },
  { name: 'status', label: say.status, choices: personStatuses },
  {
    name: 'role',
    label: say.role,
    choices: Object.fromEntries(roleData.map(({ value, label }) => [value, label])),
  },
]
/** Loaded only when somebody acts on an account, because a list can be read without them. */
const PersonDialog = onDemand(async () => (await import('../../parts/person-dialogs.tsx')).PersonDialog)
const CorrectDialog = onDemand(async () => (await import('../../parts/correct-invitation.tsx')).CorrectInvitation)
const RemoveDialog = onDemand(async () => (await import('./remove-members.tsx')).RemoveMembersDialog)

/** The members of an organisation; with the filter for invited people, also those who have not accepted yet. */
export function Members({ organisation }: { readonly organisation: string }) {
  const { page = 1, sort: sortBy, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().members)
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  return (
    <Stack gap="md">
      <Filters
        fields={FIELDS}
        values={filters}
        onChange={(values) => void navigate({ search: only({ ...values, sort: sortBy }) as typeof filters })}
      />
      <Loaded query={list}>
        {({ docs, pages, total }) => (
          <Card title={say.members} action={<Text c="dimmed">{say.membersCount(total)}</Text>} isFlush>
            {docs.length === 0 ? (
              <Empty icon={Users} title={isFiltered ? words.form.nothing : say.empty}>
                {isFiltered ? words.form.nothingText : say.emptyText}
              </Empty>
            ) : (
              <MemberTable organisation={organisation} people={docs} />
            )}
            <Pager
              page={page}
              pages={pages}
              total={total}
              onChange={(next) =>
                void navigate({ search: { ...filters, ...only({ page: next > 1 ? next : undefined, sort: sortBy }) } })
              }
            />
          </Card>
        )}
      </Loaded>
    </Stack>
  )
}

const idOf = ({ handle, invitationId }: OrganisationPerson): string => handle ?? invitationId!
const nameOf = ({ firstName, lastName, handle, email }: OrganisationPerson): string =>
  `${firstName} ${lastName}`.trim() || handle || email!

interface TableProps {
  readonly organisation: string
  readonly people: readonly OrganisationPerson[]
}

function MemberTable({ organisation, people }: TableProps) {
  const selection = useSelection(people.map(idOf))
  const chosen = people.filter((person) => person.invitationId === null && selection.chosen.includes(idOf(person)))
  const [isRemoving, setRemoving] = useState(false)
  return (
    <>
      <SelectionBar selection={selection}>
        {chosen.length > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => setRemoving(true)}>
            {say.removeMany(chosen.length)}
          </Button>
        )}
      </SelectionBar>
      <Rows
        label={say.members}
        head={[
          { title: say.member, sort: 'name' },
          { title: say.role, sort: 'role' },
          { title: say.status, sort: 'status' },
        ]}
        hasActions
        sort={useSort('handle')}
        selection={selection}
        minWidth={620}
      >
        {people.map((person) => (
          <MemberRow key={idOf(person)} organisation={organisation} person={person} />
        ))}
      </Rows>
      {isRemoving && (
        <RemoveDialog
          organisation={organisation}
          members={chosen.map((person) => ({ handle: person.handle!, name: nameOf(person) }))}
          onDone={selection.clear}
          onClose={() => setRemoving(false)}
        />
      )}
    </>
  )
}

interface RowProps {
  readonly organisation: string
  readonly person: OrganisationPerson
}

function MemberRow({ organisation, person }: RowProps) {
  const { handle, email, role, status, invitationId } = person
  const name = nameOf(person)
  const set = useWrite(setOrganisationMember, { changes: MEMBER_CHANGES })
  const setRole = (next: string) =>
    set.mutate(
      { organisation, handle: handle!, role: next as Role },
      { onSuccess: () => notify(say.roleSet(name, say.roles[next] ?? next)) },
    )
  return (
    <Row
      select={{ id: idOf(person), name }}
      cells={[
        <>
          <Text size="sm" fw={550}>
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {[handle, email].filter((one) => one !== null && one !== name).join(' · ')}
          </Text>
          {set.error && <Problem title={say.changeFailed} error={set.error} />}
        </>,
        invitationId === null ? (
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
          />
        ) : (
          (say.roles[role] ?? role)
        ),
        <PersonStatus key="status" status={status} />,
        invitationId === null ? (
          <MemberMenu key="menu" organisation={organisation} person={{ ...person, handle: handle! }} name={name} />
        ) : (
          <InvitationMenu key="menu" invitation={{ ...person, email: email ?? '', invitationId }} name={name} />
        ),
      ]}
    />
  )
}

const button = (name: string) => (
  <ActionIcon variant="subtle" color="gray" aria-label={say.menu(name)}>
    <EllipsisVertical size={16} aria-hidden />
  </ActionIcon>
)

interface MenuProps {
  readonly organisation: string
  readonly person: OrganisationPerson & { readonly handle: string }
  readonly name: string
}

/** Lists the actions for a member. Accounts can be changed only if the organisation manages them. */
function MemberMenu({ organisation, person, name }: MenuProps) {
  const { handle, status, managed } = person
  const [action, setAction] = useState<PersonAction | 'remove'>()
  const close = () => setAction(undefined)
  // The callback is passed to the hook, because `mutate` drops its own callbacks once the row is unmounted.
  const remove = useWrite(removeOrganisationMember, {
    changes: MEMBER_CHANGES,
    onDone: () => notify(say.removed(name)),
  })
  const invite = useWrite(resendPersonInvitation, {
    changes: MEMBER_CHANGES,
    onDone: () => notify(personWords.resent(name)),
  })
  const isWaiting = status === 'invited' || status === 'expired' || status === 'uninvited'
  const send = () =>
    invite.mutate({ handle }, { onError: ({ message }) => notifyProblem(`${personWords.inviteFailed}: ${message}`) })
  return (
    <>
      <MenuButton position="bottom-end" button={button(name)}>
        {(Menu) => (
          <>
            {managed && <Menu.Item onClick={() => setAction('edit')}>{personWords.edit}</Menu.Item>}
            {managed && isWaiting && <Menu.Item onClick={send}>{personWords.resend}</Menu.Item>}
            {managed && isWaiting && (
              <Menu.Item onClick={() => setAction('withdraw')}>{personWords.withdraw}</Menu.Item>
            )}
            {managed && (
              <Menu.Item onClick={() => setAction(status === 'disabled' ? 'enable' : 'disable')}>
                {status === 'disabled' ? personWords.enable : personWords.disable}
              </Menu.Item>
            )}
            <Menu.Item color="red" onClick={() => setAction('remove')}>
              {say.removeFrom}
            </Menu.Item>
            {managed && (
              <Menu.Item color="red" onClick={() => setAction('delete')}>
                {personWords.remove}
              </Menu.Item>
            )}
          </>
        )}
      </MenuButton>
      <Confirm
        isOpen={action === 'remove'}
        title={say.removeTitle(name)}
        go={say.remove}
        isPending={remove.isPending}
        error={remove.error}
        onGo={() => remove.mutate({ organisation, handle })}
        onClose={close}
      >
        {say.removeText}
      </Confirm>
      {action !== undefined && action !== 'remove' && (
        <PersonDialog person={person} action={action} changes={MEMBER_CHANGES} onClose={close} />
      )}
    </>
  )
}

interface InvitationMenuProps {
  readonly invitation: CorrectedInvitation
  readonly name: string
}

function InvitationMenu({ invitation, name }: InvitationMenuProps) {
  const { invitationId, email, firstName, lastName } = invitation
  const [isCorrecting, setCorrecting] = useState(false)
  const resend = useWrite(resendInvitation, {
    changes: MEMBER_CHANGES,
    onDone: () => notify(invitationWords.sentTo(name)),
  })
  const withdraw = useWrite(withdrawInvitation, {
    changes: MEMBER_CHANGES,
    onDone: () => notify(invitationWords.withdrawn(name)),
  })
  const onError = ({ message }: Error) => notifyProblem(`${invitationWords.failed}: ${message}`)
  return (
    <>
      <MenuButton position="bottom-end" button={button(name)}>
        {(Menu) => (
          <>
            {email.includes('@', 1) && (
              <Menu.Item onClick={() => setCorrecting(true)}>{invitationWords.correct}</Menu.Item>
            )}
            <Menu.Item onClick={() => resend.mutate({ invitationId }, { onError })}>{invitationWords.resend}</Menu.Item>
            <Menu.Item color="red" onClick={() => withdraw.mutate({ invitationId }, { onError })}>
              {invitationWords.withdraw}
            </Menu.Item>
          </>
        )}
      </MenuButton>
      {isCorrecting && (
        <CorrectDialog
          invitation={{ invitationId, email, firstName, lastName }}
          changes={MEMBER_CHANGES}
          onClose={() => setCorrecting(false)}
        />
      )}
    </>
  )
}
