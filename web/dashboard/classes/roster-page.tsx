import { ActionIcon, Anchor, Badge, Button, Group, Menu, Select, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { CircleCheck, CircleMinus, CirclePause, EllipsisVertical, FileUp, Users } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import {
  type ClassDetails,
  dropStudent,
  enrolStudent,
  listSentInvitations,
  listStudents,
  listTransferTargets,
  readClass,
  readGradebook,
  reinstateStudent,
  type Student,
  suspendStudent,
  transferStudent,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { invitationWords } from '../../parts/invitation-words.ts'
import { notify, notifyProblem, offerUndo } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { only } from '../../parts/search.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { SentInvitations } from '../../parts/sent-invitations.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'
import { RosterImport } from './roster-import.tsx'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/roster')
const { roster: say } = dashboardWords
export const ROSTER_CHANGES = [listStudents, listSentInvitations, readClass, readGradebook]
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
        {enrol.error && <Problem error={enrol.error} />}
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
  const { page = 1, status, search } = route.useSearch()
  const navigate = route.useNavigate()
  const students = useQuery(route.useLoaderData().students)
  const [moved, setMoved] = useState<Student>()
  return (
    <Card
      title={dashboardWords.class.roster}
      action={
        <Group gap="xs">
          <SearchField
            label={dashboardWords.class.findStudent}
            value={search}
            onChange={(to) => void navigate({ search: only({ status, search: to }), replace: true })}
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
              void navigate({ search: only({ search, status: (value || undefined) as Student['status'] | undefined }) })
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
              <Table.ScrollContainer minWidth={600} type="native" tabIndex={0}>
                <Table aria-label={dashboardWords.class.roster} horizontalSpacing={20}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{say.name}</Table.Th>
                      <Table.Th>{say.state}</Table.Th>
                      <Table.Th>{say.since}</Table.Th>
                      {classDetails.may.changeRoster && <Table.Th ta="right">{say.actions}</Table.Th>}
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {docs.map((one) => (
                      <StudentRow
                        key={one.studentId}
                        student={one}
                        mayChange={classDetails.may.changeRoster}
                        onMove={() => setMoved(one)}
                      />
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
              <Pager
                page={page}
                pages={pages}
                onChange={(to) => void navigate({ search: (before) => ({ ...before, page: to }) })}
              />
            </>
          )
        }
      </Loaded>
      <Dialog
        isOpen={moved !== undefined}
        onClose={() => setMoved(undefined)}
        title={moved ? say.transferTitle(moved.name || moved.handle) : ''}
      >
        {moved && <Transfer classDetails={classDetails} student={moved} onClose={() => setMoved(undefined)} />}
      </Dialog>
    </Card>
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
  const back = () => reinstate.mutate({ studentId }, { onError: fail })
  const put = (write: typeof drop, message: string, undo: () => void) =>
    write.mutate({ studentId }, { onError: fail, onSuccess: () => offerUndo(message, undo) })
  return (
    <Table.Tr>
      <Table.Td>
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/dashboard/classes/$classId/students/$studentId" params={{ classId, studentId }} {...props} />
          )}
        >
          {name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {student.handle}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge color={color} leftSection={<Icon size={13} aria-hidden />}>
          {dashboardWords.student.statuses[status]}
        </Badge>
      </Table.Td>
      <Table.Td>
        <Time at={student.enrolledDate} />
      </Table.Td>
      {mayChange && (
        <Table.Td ta="right">
          <Menu position="bottom-end" withinPortal>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" size="lg" aria-label={say.menu(name)}>
                <EllipsisVertical size={18} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {status === 'active' ? (
                <>
                  <Menu.Item onClick={onMove}>{say.transfer}</Menu.Item>
                  <Menu.Item onClick={() => put(suspend, say.suspended(name), back)}>{say.suspend}</Menu.Item>
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
                <Menu.Item color="red" onClick={() => put(drop, say.dropped(name), back)}>
                  {say.drop}
                </Menu.Item>
              )}
            </Menu.Dropdown>
          </Menu>
        </Table.Td>
      )}
    </Table.Tr>
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
      {move.error && <Problem error={move.error} />}
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
