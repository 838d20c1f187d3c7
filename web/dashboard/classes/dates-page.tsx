import { Button, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import {
  type ClassDates,
  type ClassDetails,
  clearDates,
  type Gradebook,
  listDates,
  readGradebook,
  readResults,
  setDates,
} from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Plus } from '../../parts/icons.tsx'
import { notify, offerUndo } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Loaded, Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import {
  changesOf,
  DateFields,
  errorsAt,
  FIELDS,
  type LocalDates,
  NO_DATES,
  toLocalDates,
} from '../dates/date-fields.tsx'
import { OverrideDialog, type OverrideTarget } from '../dates/override-dialog.tsx'
import { dateWords as say } from '../dates/words.ts'
import { toLocal } from '../dates/zoned.ts'
import treeClasses from '../progress/lesson-tree.module.css'
import { useClass } from './class-frame.tsx'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/dates')
const CHANGES = [listDates, readResults, readGradebook]
/** The key of the whole class in the form. Ids of lessons are never empty. */
const WHOLE_CLASS = ''

/** Lets staff set when a class and its lessons open, are due and close. */
export function DatesPage() {
  const classDetails = useClass()
  const { dates, lessons } = route.useLoaderData()
  const found = useQuery(dates)
  const gradebook = useQuery(lessons)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Loaded query={gradebook} lines={8}>
        {(book) => (
          <Loaded query={found} lines={8}>
            {(data) => (
              <Stack gap="lg">
                <Text size="sm">
                  {classDetails.ended ? say.closed : ''} {say.zone(data.timeZone)}
                </Text>
                <ClassForm classDetails={classDetails} data={data} lessons={book.lessons} />
                <Overrides classDetails={classDetails} data={data} lessons={book.lessons} />
              </Stack>
            )}
          </Loaded>
        )}
      </Loaded>
    </>
  )
}

interface DatesProps {
  readonly classDetails: ClassDetails
  readonly data: ClassDates
  readonly lessons: Gradebook['lessons']
}

const mayChange = ({ may, ended }: ClassDetails): boolean => may.setLocks && !ended

function ClassForm({ classDetails, data, lessons }: DatesProps) {
  const { classId } = classDetails
  const stored = new Map(
    data.dates
      .filter(({ studentId }) => studentId === null)
      .map((row) => [row.lessonId ?? WHOLE_CLASS, toLocalDates(row, data.timeZone)]),
  )
  const [edited, setEdited] = useState<ReadonlyMap<string, LocalDates>>(new Map())
  const [sent, setSent] = useState<readonly string[]>([])
  const save = useWrite(setDates, { changes: CHANGES })
  const storedOf = (key: string) => stored.get(key) ?? NO_DATES
  const changed = [...edited].flatMap(([key, value]) => {
    const fields = changesOf(storedOf(key), value)
    return fields ? [{ key, fields }] : []
  })
  useUnsaved(() => changed.length > 0)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(changed.map(({ key }) => key))
    save.mutate(
      {
        classId,
        dates: changed.map(({ key, fields }) => ({ ...(key !== WHOLE_CLASS && { lessonId: key }), ...fields })),
      },
      {
        onSuccess: () => {
          setEdited(new Map())
          notify(say.saved)
        },
      },
    )
  }
  const rows = [{ lessonId: WHOLE_CLASS, name: say.wholeClass, parentId: null }, ...lessons]
  return (
    <Card title={say.forAll} isFlush>
      <form onSubmit={submit} noValidate>
        {save.error && <Problem title={say.failed} error={save.error} />}
        <ul className={treeClasses.tree}>
          {rows.map(({ lessonId, name, parentId }) => (
            <li key={lessonId} className={treeClasses.row} {...(parentId !== null && { 'data-step': true })}>
              <div className={treeClasses.text}>
                <Text fw={550} mb={4}>
                  {name}
                </Text>
                <DateFields
                  lesson={name}
                  value={edited.get(lessonId) ?? storedOf(lessonId)}
                  errors={sent.includes(lessonId) ? errorsAt(save.error, sent.indexOf(lessonId)) : {}}
                  isReadOnly={!mayChange(classDetails)}
                  onChange={(value) => setEdited(new Map(edited).set(lessonId, value))}
                />
              </div>
            </li>
          ))}
        </ul>
        {mayChange(classDetails) && (
          <Group px={20} py="md">
            <Button type="submit" loading={save.isPending} disabled={changed.length === 0}>
              {say.save}
            </Button>
          </Group>
        )}
      </form>
    </Card>
  )
}

function Overrides({ classDetails, data, lessons }: DatesProps) {
  const { classId } = classDetails
  const [target, setTarget] = useState<OverrideTarget>()
  const clear = useWrite(clearDates, { changes: CHANGES })
  const restore = useWrite(setDates, { changes: CHANGES })
  const rows = data.dates.filter(({ studentId }) => studentId !== null)
  const lessonName = (lessonId: string | null) =>
    lessons.find((one) => one.lessonId === lessonId)?.name ?? say.wholeClass
  const error = clear.error ?? restore.error
  return (
    <Card
      title={say.overrides}
      isFlush
      action={
        mayChange(classDetails) && (
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => setTarget({ classId })}
          >
            {say.add}
          </Button>
        )
      }
    >
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {rows.length === 0 ? say.noOverrides : say.overridesText}
      </Text>
      {error && <Problem title={say.removeFailed} error={error} />}
      <ul className={treeClasses.tree}>
        {rows.map(({ lessonId, studentId, name, opens, due, closes }) => {
          const about = {
            classId,
            student: { studentId: studentId!, name: name! },
            ...(lessonId !== null && { lessonId }),
          }
          const lesson = lessonName(lessonId)
          const ids = { studentId: studentId!, ...(lessonId !== null && { lessonId }) }
          return (
            <li key={`${studentId} ${lessonId}`} className={treeClasses.row}>
              <div className={treeClasses.text}>
                <Text fw={550}>{`${name} · ${lesson}`}</Text>
                <Text size="sm" c="dimmed">
                  {FIELDS.flatMap((field) => {
                    const at = { opens, due, closes }[field]
                    return at === null ? [] : [`${say[field]} ${toLocal(at, data.timeZone).replace('T', ' ')}`]
                  }).join(' · ')}
                </Text>
              </div>
              {mayChange(classDetails) && (
                <Group gap="xs">
                  <Button size="compact-sm" variant="default" onClick={() => setTarget(about)}>
                    <span aria-hidden>{say.edit}</span>
                    <VisuallyHidden>{say.editOf(name!, lesson)}</VisuallyHidden>
                  </Button>
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="gray"
                    onClick={() =>
                      clear.mutate(
                        { classId, ...ids },
                        {
                          onSuccess: () =>
                            offerUndo(say.removed(name!), () =>
                              restore.mutate({ classId, dates: [{ ...ids, opens, due, closes }] }),
                            ),
                        },
                      )
                    }
                  >
                    <span aria-hidden>{say.remove}</span>
                    <VisuallyHidden>{say.removeOf(name!, lesson)}</VisuallyHidden>
                  </Button>
                </Group>
              )}
            </li>
          )
        })}
      </ul>
      <OverrideDialog target={target} lessons={lessons} onClose={() => setTarget(undefined)} />
    </Card>
  )
}
