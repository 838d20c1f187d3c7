import { Button, Group, Select, Stack, Switch, Table, Text, TextInput, VisuallyHidden } from '@mantine/core'
import { useForm } from '@mantine/form'
import { type FormEvent, useState } from 'react'
import {
  type ClassDetails,
  changeClass,
  endClass,
  listClasses,
  listSentInvitations,
  readClass,
  removeClassStaff,
  reopenClass,
  setClassStaff,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { invitationWords } from '../../parts/invitation-words.ts'
import { notify, offerUndo } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'
import { DuplicateClass } from './duplicate-class.tsx'

const { settings: say } = dashboardWords
const CHANGES = [readClass, listClasses]

interface ClassDetailsProps {
  readonly classDetails: ClassDetails
}

export function SettingsPage() {
  const classDetails = useClass()
  const { manage } = classDetails.may
  return (
    <>
      <PageHead title={dashboardWords.class.settings} lead={say.lead} />
      <Stack gap="lg" maw={720}>
        {manage ? (
          <Form key={classDetails.classId} classDetails={classDetails} />
        ) : (
          <ReadOnly classDetails={classDetails} />
        )}
        <Staff classDetails={classDetails} />
        {manage && <DuplicateClass classDetails={classDetails} />}
        {manage && <End classDetails={classDetails} />}
      </Stack>
    </>
  )
}

const ReadOnly = ({ classDetails }: ClassDetailsProps) => (
  <Card title={say.class}>
    <Facts>
      <Fact name={say.name}>{classDetails.name}</Fact>
      <Fact name={say.sequential}>
        {classDetails.sequential ? dashboardWords.classes.sequential : dashboardWords.classes.anyOrder}
      </Fact>
      {classDetails.joinCode !== null && (
        <Fact name={say.joinCode}>
          <Copied value={classDetails.joinCode} what={dashboardWords.roster.code} />
        </Fact>
      )}
    </Facts>
    <Text size="sm" c="dimmed" mt="md">
      {say.owner}
    </Text>
  </Card>
)

function Form({ classDetails: { classId, name, sequential, joinCode } }: ClassDetailsProps) {
  const save = useWrite(changeClass, { changes: CHANGES })
  const [isAsked, setAsked] = useState(false)
  const form = useForm({
    initialValues: { name, sequential },
    validate: { name: (value) => (value.trim() === '' ? say.missingName : null) },
  })
  useUnsaved(() => form.isDirty())
  const submit = form.onSubmit((values) =>
    save.mutate(
      { classId, ...values },
      {
        onSuccess: () => {
          form.resetDirty()
          notify(say.saved)
        },
      },
    ),
  )
  return (
    <Card title={say.class}>
      <form onSubmit={submit} noValidate>
        <Stack>
          {save.error && <Problem title={say.saveFailed} error={save.error} />}
          <TextInput label={say.name} {...form.getInputProps('name')} />
          <Switch
            label={say.sequential}
            description={say.sequentialHelp}
            {...form.getInputProps('sequential', { type: 'checkbox' })}
          />
          <div>
            <Text size="sm" fw={500}>
              {say.joinCode}
            </Text>
            <Group>
              {joinCode === null ? (
                <Text size="sm">{dashboardWords.roster.noCode}</Text>
              ) : (
                <Copied value={joinCode} what={dashboardWords.roster.code} />
              )}
              <Button size="xs" variant="default" onClick={() => setAsked(true)}>
                {say.newCode}
              </Button>
            </Group>
          </div>
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty()}>
              {words.form.save}
            </Button>
          </Group>
        </Stack>
      </form>
      <Confirm
        isOpen={isAsked}
        title={say.newCodeTitle}
        go={say.newCode}
        isHarmless
        isPending={save.isPending}
        onGo={() =>
          save.mutate(
            { classId, newJoinCode: true },
            { onSuccess: () => notify(say.newCodeDone), onSettled: () => setAsked(false) },
          )
        }
        onClose={() => setAsked(false)}
      >
        {say.newCodeText}
      </Confirm>
    </Card>
  )
}

function Staff({ classDetails: { classId, staff = [], may } }: ClassDetailsProps) {
  const add = useWrite(setClassStaff, {
    changes: [...CHANGES, listSentInvitations],
    onDone: (one) => notify('invitationId' in one ? invitationWords.sentTo(one.handle) : say.added(one.handle)),
  })
  const remove = useWrite(removeClassStaff, { changes: CHANGES })
  const [handle, setHandle] = useState('')
  useUnsaved(() => handle.trim() !== '')
  const [part, setPart] = useState<'instructor' | 'observer'>('instructor')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate({ classId, handle: handle.trim(), role: part }, { onSuccess: () => setHandle('') })
  }
  const error = add.error ?? remove.error
  return (
    <Card title={say.staff}>
      <Stack>
        <Text size="sm" c="dimmed">
          {say.staffText}
        </Text>
        {error && <Problem title={say.staffFailed} error={error} />}
        {staff.length === 0 ? (
          <Text size="sm">{say.noStaff}</Text>
        ) : (
          <Table aria-label={say.staff} horizontalSpacing={0}>
            <Table.Tbody>
              {staff.map((one) => {
                const name = `${one.firstName} ${one.lastName}`.trim() || one.handle
                return (
                  <Table.Tr key={one.handle}>
                    <Table.Td>
                      {name}
                      <Text size="xs" c="dimmed">
                        {one.handle}
                      </Text>
                    </Table.Td>
                    <Table.Td>{dashboardWords.classes.roles[one.role]}</Table.Td>
                    {may.manage && (
                      <Table.Td ta="right">
                        <Button
                          size="compact-sm"
                          variant="subtle"
                          color="gray"
                          onClick={() =>
                            remove.mutate(
                              { classId, handle: one.handle },
                              {
                                onSuccess: () =>
                                  offerUndo(say.removedStaff(name), () =>
                                    add.mutate({ classId, handle: one.handle, role: one.role }),
                                  ),
                              },
                            )
                          }
                        >
                          <span aria-hidden>{say.remove}</span>
                          <VisuallyHidden>{say.removeOf(name)}</VisuallyHidden>
                        </Button>
                      </Table.Td>
                    )}
                  </Table.Tr>
                )
              })}
            </Table.Tbody>
          </Table>
        )}
        {may.manage && (
          <form onSubmit={submit}>
            <Group align="flex-end" gap="xs">
              <TextInput
                label={say.handle}
                value={handle}
                onChange={(event) => setHandle(event.currentTarget.value)}
                autoComplete="off"
                flex={1}
                miw={120}
              />
              <Select
                label={say.role}
                w={140}
                allowDeselect={false}
                data={(['instructor', 'observer'] as const).map((value) => ({
                  value,
                  label: dashboardWords.classes.roles[value],
                }))}
                value={part}
                onChange={(value) => value && setPart(value as typeof part)}
              />
              <Button type="submit" variant="default" disabled={handle.trim() === ''} loading={add.isPending}>
                {say.add}
              </Button>
            </Group>
          </form>
        )}
      </Stack>
    </Card>
  )
}

function End({ classDetails: { classId, name, ended, students } }: ClassDetailsProps) {
  const [isAsked, setAsked] = useState(false)
  const end = useWrite(endClass, { changes: CHANGES })
  const reopen = useWrite(reopenClass, { changes: CHANGES })
  const open = () => reopen.mutate({ classId }, { onSuccess: () => notify(say.reopened) })
  const error = end.error ?? reopen.error
  return (
    <Card title={say.danger}>
      <Stack align="flex-start">
        {error && <Problem title={say.endFailed} error={error} />}
        <Text size="sm">{ended ? say.ended : say.endText}</Text>
        {ended ? (
          <Button variant="default" loading={reopen.isPending} onClick={open}>
            {say.reopen}
          </Button>
        ) : (
          <Button variant="outline" color="red" onClick={() => setAsked(true)}>
            {say.end}
          </Button>
        )}
      </Stack>
      <Confirm
        isOpen={isAsked}
        title={say.endTitle(name)}
        go={say.end}
        isPending={end.isPending}
        onGo={() =>
          end.mutate({ classId }, { onSuccess: () => offerUndo(say.ended, open), onSettled: () => setAsked(false) })
        }
        onClose={() => setAsked(false)}
      >
        {say.endText} {students && say.endConcerns(students.active)}
      </Confirm>
    </Card>
  )
}
