import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  disablePerson,
  enablePerson,
  type FoundPerson,
  findPeople,
  readPerson,
  resendPersonInvitation,
} from '../../api/operations.ts'
import { useBulkWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { type FilterField, Filters } from '../../parts/filters.tsx'
import { FileUp, Plus, Users } from '../../parts/icons.tsx'
import { TextLink } from '../../parts/link.tsx'
import { notify } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { PersonStatus } from '../../parts/person-status.tsx'
import { personWords } from '../../parts/person-words.ts'
import { ReasonDialog } from '../../parts/reason-dialog.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { BulkFailures, SelectionBar, useSelection } from '../../parts/selection.tsx'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { adminWords } from '../words.ts'
import { sayRoles } from './person-badges.tsx'

const { people: say } = adminWords
const { form } = words
/** Loaded only when somebody creates a person. */
const CreatePersonForm = onDemand(async () => (await import('./create-person.tsx')).CreatePersonForm)
const ImportPeople = onDemand(async () => (await import('./import-people.tsx')).ImportPeople)
const route = getRouteApi('/signed-in/admin/people')
const FIELDS: readonly FilterField[] = [
  { name: 'query', label: say.find, placeholder: say.findHelp },
  { name: 'status', label: say.status, choices: say.statuses },
  { name: 'role', label: say.role, choices: say.roles },
]

export function PeoplePage() {
  const { page = 1, sort, ...filters } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().people)
  const [open, setOpen] = useState<'create' | 'import'>()
  const close = () => setOpen(undefined)
  return (
    <>
      <PageHead
        title={say.title}
        lead={say.lead}
        action={
          <Group>
            <Button variant="default" leftSection={<FileUp size={16} aria-hidden />} onClick={() => setOpen('import')}>
              {say.import}
            </Button>
            <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen('create')}>
              {adminWords.create.go}
            </Button>
          </Group>
        }
      />
      <Dialog isOpen={open === 'create'} onClose={close} title={adminWords.create.title}>
        <CreatePersonForm onClose={close} />
      </Dialog>
      <Dialog isOpen={open === 'import'} onClose={close} title={say.import}>
        <ImportPeople onClose={close} />
      </Dialog>
      <Filters
        fields={FIELDS}
        values={filters}
        onChange={(values) => void navigate({ search: only({ ...values, sort }) as typeof filters })}
      />
      <Loaded query={list} lines={8}>
        {({ docs, pages, total }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={Users} title={form.nothing}>
                {form.nothingText}
              </Empty>
            ) : (
              <>
                <PeopleTable people={docs} />
                <Pager
                  page={page}
                  pages={pages}
                  total={total}
                  onChange={(next) =>
                    void navigate({ search: { ...filters, ...only({ sort, page: next > 1 ? next : undefined }) } })
                  }
                />
              </>
            )}
          </Card>
        )}
      </Loaded>
    </>
  )
}

function PeopleTable({ people }: { readonly people: readonly FoundPerson[] }) {
  const selection = useSelection(people.map(({ handle }) => handle))
  const chosen = people.filter(({ handle }) => selection.chosen.includes(handle))
  const [decision, setDecision] = useState<Decision>()
  const choices = [
    { to: 'disabled' as const, label: say.disable, people: chosen.filter(({ status }) => status !== 'disabled') },
    { to: 'active' as const, label: say.enable, people: chosen.filter(({ status }) => status === 'disabled') },
  ]
  const waiting = chosen.filter(({ status, email }) => WAITING.includes(status) && email !== null)
  const invite = useBulkWrite(resendPersonInvitation, {
    changes: [findPeople, readPerson],
    onDone: ({ done }) => {
      if (done > 0) notify(say.resent(done))
    },
  })
  return (
    <>
      <SelectionBar selection={selection}>
        {waiting.length > 0 && (
          <Button
            size="compact-sm"
            variant="default"
            loading={invite.isPending}
            onClick={() => invite.mutate(waiting.map(({ handle }) => ({ name: handle, input: { handle } })))}
          >
            {say.resend(waiting.length)}
          </Button>
        )}
        {choices.map(
          (one) =>
            one.people.length > 0 && (
              <Button key={one.to} size="compact-sm" variant="default" onClick={() => setDecision(one)}>
                {one.label(one.people.length)}
              </Button>
            ),
        )}
      </SelectionBar>
      <BulkFailures result={invite.data} />
      {invite.error && <Problem title={personWords.inviteFailed} error={invite.error} />}
      <Rows
        label={say.title}
        head={[
          { title: say.name, sort: 'name' },
          say.email,
          say.role,
          say.status,
          { title: say.since, sort: 'created' },
        ]}
        sort={useSort('handle')}
        selection={selection}
        minWidth={760}
      >
        {people.map((person) => (
          <Row
            key={person.handle}
            select={{ id: person.handle, name: person.name || person.handle }}
            cells={[
              <Stack key="name" gap={0}>
                <TextLink to="/admin/people/$handle" params={{ handle: person.handle }} fw={600}>
                  {person.name || person.handle}
                </TextLink>
                <Text size="xs" c="dimmed">
                  {person.handle}
                </Text>
              </Stack>,
              person.email ?? <Text c="dimmed">{say.noEmail}</Text>,
              sayRoles(person),
              <PersonStatus key="status" status={person.status} />,
              <Time key="since" at={person.createdDate} />,
            ]}
          />
        ))}
      </Rows>
      {decision && (
        <DecisionDialog
          key={decision.to}
          decision={decision}
          onDone={selection.clear}
          onClose={() => setDecision(undefined)}
        />
      )}
    </>
  )
}

const WAITING: readonly FoundPerson['status'][] = ['invited', 'expired', 'uninvited']

interface Decision {
  readonly to: 'active' | 'disabled'
  readonly people: readonly FoundPerson[]
}

interface DecisionDialogProps {
  readonly decision: Decision
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Disables or enables several people, with one reason for all. */
function DecisionDialog({ decision: { to, people }, onDone, onClose }: DecisionDialogProps) {
  const isDisabling = to === 'disabled'
  const decide = useBulkWrite(isDisabling ? disablePerson : enablePerson, {
    changes: [findPeople, readPerson],
    onDone: ({ done, failed }) => {
      if (done > 0) notify((isDisabling ? say.disabled : say.enabled)(done))
      if (failed.length > 0) return
      onDone()
      onClose()
    },
  })
  const count = people.length
  const submit = (reason: string) =>
    decide.mutate(people.map(({ handle }) => ({ name: handle, input: { handle, reason } })))
  return (
    <ReasonDialog
      title={isDisabling ? say.disableTitle(count) : say.enableTitle(count)}
      go={isDisabling ? say.disable(count) : say.enable(count)}
      help={adminWords.person.reasonHelp}
      isDangerous={isDisabling}
      isPending={decide.isPending}
      error={decide.error}
      onGo={submit}
      onClose={onClose}
    >
      <BulkFailures result={decide.data} />
      {isDisabling ? adminWords.person.disableText : adminWords.person.enableText}
      <Text size="sm" mt="xs" lineClamp={3}>
        {people.map(({ name, handle }) => name || handle).join(', ')}
      </Text>
    </ReasonDialog>
  )
}
