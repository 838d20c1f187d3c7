import { ActionIcon, Badge, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import {
  type ClassDetails,
  dropStudent,
  enrolStudent,
  listTransferTargets,
  reinstateStudent,
  type Student,
  suspendStudent,
  transferStudent,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { CircleCheck, CircleMinus, CirclePause, EllipsisVertical, FileUp, Users } from '../../parts/icons.tsx'
import { invitationWords } from '../../parts/invitation-words.ts'
import { TextLink } from '../../parts/link.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { notify, notifyProblem, offerUndo } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { SelectionBar, useSelection } from '../../parts/selection.tsx'
import { SentInvitations } from '../../parts/sent-invitations.tsx'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { EvaluateMenu } from '../evaluations/evaluate-menu.tsx'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'
import type { BulkChange } from './roster-bulk.tsx'
import { bulkWords } from './roster-bulk-words.ts'
import { ROSTER_CHANGES } from './roster-changes.ts'
import { RosterImport } from './roster-import.tsx'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/roster')
const { roster: say } = dashboardWords
/** Loaded only when somebody changes several students, because few do. */
const RosterBulkDialog = onDemand(async () => (await import('./roster-bulk.tsx')).RosterBulkDialog)
const LOOKS = {
  active: { color: 'green', icon: CircleCheck },
  suspended: { color: 'yellow', icon: CirclePause },
  dropped: { color: 'gray', icon: CircleMinus },
} as const

export function RosterPage() {
  const classDetails = useClass()
  const { classId, students, may } = classDetails
  const [isImporting, setImporting] = useState(false)
  return (
    <>
      <PageHead
        title={dashboardWords.class.roster}
        lead={students && say.lead(students.active, students.suspended, students.dropped)}
        action={
          may.changeRoster && (
            <Button leftSection={<FileUp size={16} aria-hidden />} onClick={() => setImporting(true)}>
              {say.import}
            </Button>
          )
        }
      />
      <Stack gap="lg">
        {may.changeRoster && <Enrol classDetails={classDetails} />}
        {may.changeRoster && <SentInvitations target={{ classId }} />}
        <List classDetails={classDetails} />
        <Dialog isOpen={isImporting} onClose={() => setImporting(false)} title={dashboardWords.import.title}>
          <RosterImport classId={classId} onClose={() => setImporting(false)} />
        </Dialog>
      </Stack>
    </>
  )
}

function Enrol({ classDetails: { classId, joinCode } }: { readonly classDetails: ClassDetails }) {
  const [handle, setHandle] = useState('')
  const enrol = useWrite(enrolStudent, { changes: ROSTER_CHANGES })
  useUnsaved(() => handle.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    enrol.mutate(
      { classId, handle: handle.trim() },
      {
        onSuccess: (added) => {
          setHandle('')
          notify(
            'invitationId' in added ? invitationWords.sentTo(added.handle) : say.enrolled(added.name || added.handle),
          )
        },
      },
    )
  }
  return (
    <Card title={say.enrol}>
      <Stack gap="sm">
        {enrol.error && <Problem title={say.enrolFailed} error={enrol.error} />}
        <Text size="sm" c="dimmed">
          {say.enrolText}
        </Text>
        <Group align="flex-end" justify="space-between" gap="lg">
          <form onSubmit={submit}>
            <Group align="flex-end" gap="xs" wrap="nowrap">
              <TextInput
                label={say.handle}
                placeholder="@avery"
                value={handle}
                onChange={(event) => setHandle(event.currentTarget.value)}
                autoComplete="off"
                miw={0}
              />
              <Button
                type="submit"
                variant="default"
                flex="none"
                disabled={handle.trim() === ''}
                loading={enrol.isPending}
              >
                {say.go}
              </Button>
            </Group>
          </form>
          <div>
            <Text size="sm" fw={500}>
              {say.joinCode}
            </Text>
            {joinCode === null ? (
              <Text size="sm" c="dimmed">
                {say.noCode}
              </Text>
            ) : (
              <Copied value={joinCode} what={say.code} />
            )}
          </div>
        </Group>
      </Stack>
    </Card>
  )
}

function List({ classDetails }: { readonly classDetails: ClassDetails }) {
  const { page = 1, status, search, sort } = route.useSearch()
  const navigate = route.useNavigate()
  const students = useQuery(route.useLoaderData().students)
  return (
    <Card
      title={dashboardWords.class.roster}
      action={
        <Group gap="xs">
          <SearchField
            label={dashboardWords.class.findStudent}
            value={search}
            onChange={(to) => void navigate({ search: only({ status, sort, search: to }), replace: true })}
          />
          <Select
            aria-label={say.status}
            size="xs"
            w={140}
            allowDeselect={false}
            data={[
              { value: '', label: say.all },
              ...Object.entries(dashboardWords.student.statuses).map(([value, label]) => ({ value, label })),
            ]}
            value={status ?? ''}
            onChange={(value) =>
              void navigate({
                search: only({ search, sort, status: (value || undefined) as Student['status'] | undefined }),
              })
            }
          />
        </Group>
      }
      isFlush
    >
      <Loaded query={students}>
        {({ docs, pages }) =>
          docs.length === 0 ? (
            <Empty icon={Users} title={search === undefined ? say.empty : dashboardWords.gradebook.nobodyFound}>
              {search === undefined ? say.emptyText : dashboardWords.gradebook.nobodyFoundText}
            </Empty>
          ) : (
            <>
              <StudentTable classDetails={classDetails} students={docs} />
              <Pager
                page={page}
                pages={pages}
                onChange={(to) => void navigate({ search: (before) => ({ ...before, page: to }) })}
              />
            </>
          )
        }
      </Loaded>
    </Card>
  )
}

interface StudentTableProps {
  readonly classDetails: ClassDetails
  readonly students: readonly Student[]
}

function StudentTable({ classDetails, students }: StudentTableProps) {
  const mayChange = classDetails.may.changeRoster
  const [moved, setMoved] = useState<Student>()
  const [bulk, setBulk] = useState<BulkChange>()
  const selection = useSelection(students.map(({ studentId }) => studentId))
  const chosen = students.filter(({ studentId }) => selection.has(studentId))
  const choices: readonly BulkChange[] = [
    { to: 'suspended', students: chosen.filter(({ status }) => status === 'active') },
    { to: 'active', students: chosen.filter(({ status }) => status !== 'active') },
    { to: 'dropped', students: chosen.filter(({ status }) => status !== 'dropped') },
  ]
  return (
    <>
      {mayChange && (
        <SelectionBar selection={selection}>
          {choices.map(
            (one) =>
              one.students.length > 0 && (
                <Button
                  key={one.to}
                  size="compact-sm"
                  variant="default"
                  {...(one.to === 'dropped' && { c: 'red' })}
                  onClick={() => setBulk(one)}
                >
                  {bulkWords[one.to].go(one.students.length)}
                </Button>
              ),
          )}
          {classDetails.may.evaluate && (
            <EvaluateMenu
              classId={classDetails.classId}
              students={chosen.filter(({ status }) => status === 'active').map(({ studentId }) => studentId)}
              size="compact-sm"
            />
          )}
        </SelectionBar>
      )}
      <Rows
        label={dashboardWords.class.roster}
        head={[
          { title: say.name, sort: 'name' },
          { title: say.state, sort: 'status' },
          { title: say.since, sort: 'enrolled' },
        ]}
        hasActions={mayChange}
        sort={useSort('enrolled')}
        {...(mayChange && { selection })}
        minWidth={520}
      >
        {students.map((one) => (
          <StudentRow key={one.studentId} student={one} mayChange={mayChange} onMove={() => setMoved(one)} />
        ))}
      </Rows>
      <Dialog
        isOpen={moved !== undefined}
        onClose={() => setMoved(undefined)}
        title={moved ? say.transferTitle(moved.name || moved.handle) : ''}
      >
        {moved && <Transfer classDetails={classDetails} student={moved} onClose={() => setMoved(undefined)} />}
      </Dialog>
      {bulk && (
        <RosterBulkDialog key={bulk.to} change={bulk} onDone={selection.clear} onClose={() => setBulk(undefined)} />
      )}
    </>
  )
}

interface StudentRowProps {
  readonly student: Student
  readonly mayChange: boolean
  readonly onMove: () => void
}

function StudentRow({ student, mayChange, onMove }: StudentRowProps) {
  const { studentId, classId, status } = student
  const drop = useWrite(dropStudent, { changes: ROSTER_CHANGES })
  const suspend = useWrite(suspendStudent, { changes: ROSTER_CHANGES })
  const reinstate = useWrite(reinstateStudent, { changes: ROSTER_CHANGES })
  const name = student.name || student.handle
  const { color, icon: Icon } = LOOKS[status]
  const fail = (error: Error) => notifyProblem(error.message)
  // A suspended student who was dropped has to be reinstated before they can be suspended again.
  const back = async () => {
    try {
      await reinstate.mutateAsync({ studentId })
      if (status === 'suspended') await suspend.mutateAsync({ studentId })
    } catch (error) {
      fail(error as Error)
    }
  }
  const put = (write: typeof drop, message: string, undo: () => void) =>
    write.mutate({ studentId }, { onError: fail, onSuccess: () => offerUndo(message, undo) })
  return (
    <Row
      select={{ id: studentId, name }}
      cells={[
        <div key="name">
          <TextLink to="/dashboard/classes/$classId/students/$studentId" params={{ classId, studentId }} size="sm">
            {name}
          </TextLink>
          <Text size="xs" c="dimmed">
            {student.handle}
          </Text>
        </div>,
        <Badge key="status" color={color} leftSection={<Icon size={13} aria-hidden />}>
          {dashboardWords.student.statuses[status]}
        </Badge>,
        <Time key="since" at={student.enrolledDate} />,
        ...(mayChange
          ? [
              <MenuButton
                key="actions"
                position="bottom-end"
                withinPortal
                button={
                  <ActionIcon variant="subtle" color="gray" size="lg" aria-label={say.menu(name)}>
                    <EllipsisVertical size={18} aria-hidden />
                  </ActionIcon>
                }
              >
                {(Menu) => (
                  <>
                    {status === 'active' ? (
                      <>
                        <Menu.Item onClick={onMove}>{say.transfer}</Menu.Item>
                        <Menu.Item onClick={() => put(suspend, say.suspended(name), () => void back())}>
                          {say.suspend}
                        </Menu.Item>
                      </>
                    ) : (
                      <Menu.Item
                        onClick={() =>
                          put(reinstate, say.reinstated(name), () =>
                            (status === 'dropped' ? drop : suspend).mutate({ studentId }, { onError: fail }),
                          )
                        }
                      >
                        {say.reinstate}
                      </Menu.Item>
                    )}
                    {status !== 'dropped' && (
                      <Menu.Item color="red" onClick={() => put(drop, say.dropped(name), () => void back())}>
                        {say.drop}
                      </Menu.Item>
                    )}
                  </>
                )}
              </MenuButton>,
            ]
          : []),
      ]}
    />
  )
}

interface TransferProps {
  readonly classDetails: ClassDetails
  readonly student: Student
  readonly onClose: () => void
}

function Transfer({ classDetails, student, onClose }: TransferProps) {
  const targets = useQuery(query(listTransferTargets, { classId: classDetails.classId }))
  const [to, setTo] = useState<string | null>(null)
  const move = useWrite(transferStudent, { changes: ROSTER_CHANGES })
  const others = targets.data ?? []
  if (targets.data?.length === 0) return <Text size="sm">{say.noOther}</Text>
  return (
    <Stack>
      {move.error && <Problem title={say.transferFailed} error={move.error} />}
      <Select
        label={say.transferTo}
        description={say.transferText}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        data={others.map(({ classId: value, name: label }) => ({ value, label }))}
        value={to}
        onChange={setTo}
        data-autofocus
      />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {words.form.cancel}
        </Button>
        <Button
          disabled={to === null}
          loading={move.isPending}
          onClick={() =>
            move.mutate(
              { studentId: student.studentId, classId: to! },
              {
                onSuccess: () => {
                  const name = others.find(({ classId }) => classId === to)!.name
                  notify(say.transferred(student.name || student.handle, name))
                  onClose()
                },
              },
            )
          }
        >
          {say.transferGo}
        </Button>
      </Group>
    </Stack>
  )
}
