import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { listDates, listStudents, readGradebook, readResults, setDates } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notify.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { changesOf, DateFields, errorsAt, type LocalDates, NO_DATES, toLocalDates } from './date-fields.tsx'
import { dateWords as say } from './words.ts'

export interface OverrideTarget {
  readonly classId: string
  /** Left out if the person still has to choose one. */
  readonly student?: { readonly studentId: string; readonly name: string }
  /** The whole class if it is left out. */
  readonly lessonId?: string
}

interface OverrideProps {
  readonly lessons: readonly { readonly lessonId: string; readonly name: string }[]
  readonly onClose: () => void
}

/** Sets the dates of one student, for the whole class or for a lesson. */
export const OverrideDialog = ({
  target,
  ...props
}: OverrideProps & { readonly target: OverrideTarget | undefined }) => (
  <Dialog
    isOpen={target !== undefined}
    onClose={props.onClose}
    title={target?.student ? say.dialogTitle(target.student.name) : say.add}
  >
    {target && <OverrideForm target={target} {...props} />}
  </Dialog>
)

function OverrideForm({ target, lessons, onClose }: OverrideProps & { readonly target: OverrideTarget }) {
  const { classId } = target
  const dates = useQuery(query(listDates, { classId }))
  const [student, setStudent] = useState(target.student?.studentId)
  const [lessonId, setLesson] = useState(target.lessonId ?? '')
  const [edited, setEdited] = useState<LocalDates>()
  const [isMissing, setMissing] = useState(false)
  const save = useWrite(setDates, { changes: [listDates, readResults, readGradebook] })
  useUnsaved(() => edited !== undefined)
  return (
    <Loaded query={dates}>
      {(data) => {
        const row = data.dates.find(
          (one) => one.studentId === student && (one.lessonId ?? '') === lessonId && one.studentId !== null,
        )
        const stored = row ? toLocalDates(row, data.timeZone) : NO_DATES
        const fields = edited && changesOf(stored, edited)
        const submit = (event: FormEvent) => {
          event.preventDefault()
          setMissing(student === undefined)
          if (student === undefined || !fields) return
          save.mutate(
            { classId, dates: [{ studentId: student, ...(lessonId !== '' && { lessonId }), ...fields }] },
            {
              onSuccess: () => {
                notify(say.saved)
                onClose()
              },
            },
          )
        }
        return (
          <form onSubmit={submit} noValidate>
            <Stack>
              {save.error && <Problem title={say.failed} error={save.error} />}
              {target.student === undefined && (
                <StudentPicker
                  classId={classId}
                  value={student}
                  error={isMissing && student === undefined ? say.missingStudent : undefined}
                  onChange={setStudent}
                />
              )}
              <Select
                label={say.lesson}
                allowDeselect={false}
                searchable
                data={[
                  { value: '', label: say.wholeClass },
                  ...lessons.map((one) => ({ value: one.lessonId, label: one.name })),
                ]}
                value={lessonId}
                onChange={(value) => setLesson(value ?? '')}
              />
              <DateFields
                lesson={lessons.find((one) => one.lessonId === lessonId)?.name ?? say.wholeClass}
                value={edited ?? stored}
                errors={errorsAt(save.error, 0)}
                onChange={setEdited}
              />
              <Text size="sm" c="dimmed">
                {say.inherited} {say.zone(data.timeZone)}
              </Text>
              <Group justify="flex-end">
                <Button variant="default" onClick={onClose}>
                  {words.form.cancel}
                </Button>
                <Button type="submit" loading={save.isPending} disabled={!fields}>
                  {say.save}
                </Button>
              </Group>
            </Stack>
          </form>
        )
      }}
    </Loaded>
  )
}

interface StudentPickerProps {
  readonly classId: string
  readonly value: string | undefined
  readonly error: string | undefined
  readonly onChange: (studentId: string | undefined) => void
}

function StudentPicker({ classId, value, error, onChange }: StudentPickerProps) {
  const [typed, setTyped] = useState('')
  const [rested] = useDebouncedValue(typed.trim(), 200)
  const found = useQuery(query(listStudents, { classId, sort: 'name', limit: 50, ...(rested && { search: rested }) }))
  return (
    <Select
      label={say.student}
      placeholder={say.pickStudent}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage={say.noStudent}
      data={(found.data?.docs ?? [])
        .filter(({ status }) => status !== 'dropped')
        .map((one) => ({ value: one.studentId, label: one.name ? `${one.name} (${one.handle})` : one.handle }))}
      // The read has chosen what matches.
      filter={({ options }) => options}
      value={value ?? null}
      error={error}
      onChange={(chosen) => onChange(chosen ?? undefined)}
    />
  )
}
