import {
  ActionIcon,
  Alert,
  Anchor,
  Badge,
  Button,
  Group,
  Stack,
  Switch,
  Table,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useBlocker, useParams } from '@tanstack/react-router'
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import {
  type CourseDocument,
  discardCourseDraft,
  listCourseVersions,
  listManagedCourses,
  publishCourse,
  readCourseDocument,
  saveCourse,
} from '../api/operations.ts'
import { query, useWrite } from '../api/query.ts'
import { useOrganisationNames } from '../organisations/names.ts'
import { Card } from '../parts/card.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { notify, offerUndo } from '../parts/notify.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { Loaded, Problem } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import treeClasses from '../progress/lesson-tree.module.css'
import { dashboard } from '../words/dashboard.ts'
import { words } from '../words/words.ts'
import {
  addLesson,
  addStep,
  allLessons,
  makeId,
  moveLesson,
  type Objective,
  type Place,
  removeLesson,
  type Step,
  setLesson,
} from './course-model.ts'
import { LessonForm, ObjectiveForm } from './lesson-form.tsx'
import { NewClass } from './new-class.tsx'

const { course: say } = dashboard
const CHANGES = [readCourseDocument, listCourseVersions, listManagedCourses]

/** A course as its author has it: the draft where there is one. */
export function CoursePage() {
  const { courseId } = useParams({ from: '/signed-in/dashboard/courses/$courseId' })
  // It comes anew when it was saved, and never under what somebody types.
  const found = useQuery({ ...query(readCourseDocument, { courseId }), staleTime: Number.POSITIVE_INFINITY })
  return (
    <Loaded of={found}>
      {(doc) => <Editor key={`${doc.courseId}-${doc.version}-${doc.draft}-${found.dataUpdatedAt}`} of={doc} />}
    </Loaded>
  )
}

function Editor({ of }: { readonly of: CourseDocument }) {
  const [doc, setDoc] = useState(of)
  const isDirty = doc !== of
  useBlocker({ shouldBlockFn: () => isDirty && !confirm(say.leave), enableBeforeUnload: isDirty })
  const nameOfOrganisation = useOrganisationNames([of.organisation])
  const save = useWrite(saveCourse, { changes: CHANGES })
  const onSave = () => {
    const { version: _, draft: __, ...what } = doc
    save.mutate(what, { onSuccess: () => notify(say.saved) })
  }
  return (
    <>
      <PageHead
        title={of.name}
        lead={say.lead(nameOfOrganisation(of.organisation), of.version)}
        above={
          <Anchor component={Link} to="/dashboard" size="sm">
            {words.classes.title}
          </Anchor>
        }
        action={
          <Group gap="xs">
            {of.draft && !isDirty && <Discard of={of} />}
            <Button
              variant={isDirty ? 'filled' : 'default'}
              disabled={!isDirty}
              loading={save.isPending}
              onClick={onSave}
            >
              {say.save}
            </Button>
            {of.draft && <Publish of={of} isDisabled={isDirty} />}
          </Group>
        }
      />
      <Stack gap="lg">
        {save.error && <Problem error={save.error} />}
        {isDirty ? <Alert color="yellow">{say.unsaved}</Alert> : of.draft && <Alert>{say.draft}</Alert>}
        <Card title={say.about}>
          <Stack>
            <TextInput
              label={say.name}
              value={doc.name}
              error={doc.name.trim() === '' ? say.missingName : null}
              onChange={(event) => setDoc({ ...doc, name: event.currentTarget.value })}
            />
            <Textarea
              label={say.description}
              autosize
              minRows={2}
              value={doc.description ?? ''}
              onChange={(event) => setDoc({ ...doc, description: event.currentTarget.value })}
            />
            <Switch
              label={say.public}
              description={say.publicHelp}
              checked={doc.public ?? false}
              onChange={(event) => setDoc({ ...doc, public: event.currentTarget.checked })}
            />
          </Stack>
        </Card>
        <Lessons doc={doc} onChange={setDoc} />
        <Objectives doc={doc} onChange={setDoc} />
        <Versions courseId={of.courseId} />
      </Stack>
    </>
  )
}

interface PartProps {
  readonly doc: CourseDocument
  readonly onChange: (doc: CourseDocument) => void
}

function Lessons({ doc, onChange }: PartProps) {
  const [edited, setEdited] = useState<Place>()
  const all = allLessons(doc)
  const found = edited && lessonAt(doc, edited)
  const remove = (place: Place, name: string) => {
    onChange(removeLesson(doc, place))
    offerUndo(`${say.remove}: ${name}`, () => onChange(doc))
  }
  const row = (one: Step, place: Place, count: number) => (
    <LessonRow
      key={one.id}
      of={one}
      all={all}
      isStep={place.step !== undefined}
      isFirst={(place.step ?? place.lesson) === 0}
      isLast={(place.step ?? place.lesson) === count - 1}
      onMove={(by) => onChange(moveLesson(doc, place, by))}
      onEdit={() => setEdited(place)}
      onRemove={() => remove(place, one.name)}
      {...(place.step === undefined && {
        onAddStep: () => {
          const step = doc.lessons[place.lesson]!.childLessons?.length ?? 0
          onChange(addStep(doc, place.lesson, say.newStep))
          setEdited({ lesson: place.lesson, step })
        },
      })}
    />
  )
  return (
    <Card
      title={say.lessons}
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => {
            onChange(addLesson(doc, say.untitled))
            setEdited({ lesson: doc.lessons.length })
          }}
        >
          {say.addLesson}
        </Button>
      }
      isFlush
    >
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {doc.lessons.length === 0 ? say.noLessons : say.lessonsText}
      </Text>
      <ol className={treeClasses.tree}>
        {doc.lessons.flatMap((one, lesson) => [
          row(one, { lesson }, doc.lessons.length),
          ...(one.childLessons ?? []).map((child, step) => row(child, { lesson, step }, one.childLessons!.length)),
        ])}
      </ol>
      <Dialog isOpen={found !== undefined} onClose={() => setEdited(undefined)} title={found?.name ?? ''}>
        {found && (
          <LessonForm
            key={found.id}
            of={found}
            others={all.filter(({ id }) => id !== found.id)}
            onClose={() => setEdited(undefined)}
            onApply={(lesson) => {
              onChange(setLesson(doc, edited!, lesson))
              setEdited(undefined)
            }}
          />
        )}
      </Dialog>
    </Card>
  )
}

const lessonAt = ({ lessons }: CourseDocument, { lesson, step }: Place): Step | undefined => {
  const found = lessons[lesson]
  if (step !== undefined || !found) return found?.childLessons?.[step!]
  // Its steps are edited by themselves.
  const { childLessons: _, ...own } = found
  return own
}

interface LessonRowProps {
  readonly of: Step
  readonly all: readonly Step[]
  readonly isStep: boolean
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onMove: (by: number) => void
  readonly onEdit: () => void
  readonly onRemove: () => void
  readonly onAddStep?: () => void
}

function LessonRow({ of, all, isStep, isFirst, isLast, onMove, onEdit, onRemove, onAddStep }: LessonRowProps) {
  const before = (of.prerequisites ?? []).map((id) => all.find((one) => one.id === id)?.name ?? id)
  const facts = [
    of.expectedCompletionTime ? say.minutes(of.expectedCompletionTime) : undefined,
    of.threshold === undefined ? undefined : say.points(of.threshold),
    of.maxAttempts === undefined ? undefined : say.tries(of.maxAttempts),
    of.instructorGraded ? say.graded : undefined,
    before.length > 0 ? say.needs(before.join(', ')) : undefined,
  ].filter((one) => one !== undefined)
  const tools = [
    [say.up(of.name), ArrowUp, () => onMove(-1), isFirst],
    [say.down(of.name), ArrowDown, () => onMove(1), isLast],
    [say.editOf(of.name), Pencil, onEdit, false],
    [say.removeOf(of.name), Trash2, onRemove, false],
  ] as const
  return (
    <li className={treeClasses.row} {...(isStep && { 'data-step': true })}>
      <div className={treeClasses.text}>
        <Group gap="xs">
          <Text fw={600}>{of.name}</Text>
          {of.isAssessment && <Badge color="sky">{say.assessment}</Badge>}
        </Group>
        {facts.length > 0 && (
          <Text size="xs" c="dimmed">
            {facts.join(' · ')}
          </Text>
        )}
        {onAddStep && (
          <Anchor component="button" type="button" size="xs" onClick={onAddStep} aria-label={say.addStepOf(of.name)}>
            {say.addStep}
          </Anchor>
        )}
      </div>
      <Group gap={2} wrap="nowrap" className={treeClasses.action}>
        {tools.map(([label, Icon, run, isDisabled]) => (
          <ActionIcon
            key={label}
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={label}
            onClick={run}
            disabled={isDisabled}
          >
            <Icon size={16} aria-hidden />
          </ActionIcon>
        ))}
      </Group>
    </li>
  )
}

function Objectives({ doc, onChange }: PartProps) {
  const [edited, setEdited] = useState<Objective>()
  const { objectives = [] } = doc
  const lessons = allLessons(doc)
  const put = (next: Objective[]) => onChange({ ...doc, objectives: next })
  return (
    <Card
      title={say.objectives}
      action={
        <Button
          size="xs"
          variant="default"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => setEdited({ id: makeId('objective'), name: say.newObjective, lessons: [] })}
        >
          {say.addObjective}
        </Button>
      }
      isFlush
    >
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {objectives.length === 0 ? say.noObjectives : say.objectivesText}
      </Text>
      <ul className={treeClasses.tree}>
        {objectives.map((one) => (
          <li key={one.id} className={treeClasses.row} data-menu>
            <div className={treeClasses.text}>
              <Text fw={600}>{one.name}</Text>
              <Text size="xs" c="dimmed">
                {one.lessons.map((id) => lessons.find((lesson) => lesson.id === id)?.name ?? id).join(', ')}
              </Text>
            </div>
            <Group gap={2} wrap="nowrap">
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={say.editOf(one.name)}
                onClick={() => setEdited(one)}
              >
                <Pencil size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="lg"
                aria-label={say.removeOf(one.name)}
                onClick={() => {
                  put(objectives.filter(({ id }) => id !== one.id))
                  offerUndo(`${say.remove}: ${one.name}`, () => onChange(doc))
                }}
              >
                <Trash2 size={16} aria-hidden />
              </ActionIcon>
            </Group>
          </li>
        ))}
      </ul>
      <Dialog isOpen={edited !== undefined} onClose={() => setEdited(undefined)} title={say.objectiveTitle}>
        {edited && (
          <ObjectiveForm
            key={edited.id}
            of={edited}
            lessons={lessons}
            onClose={() => setEdited(undefined)}
            onApply={(next) => {
              const isNew = objectives.every(({ id }) => id !== next.id)
              put(isNew ? [...objectives, next] : objectives.map((one) => (one.id === next.id ? next : one)))
              setEdited(undefined)
            }}
          />
        )}
      </Dialog>
    </Card>
  )
}

interface AskProps {
  readonly of: CourseDocument
}

function Publish({ of: { courseId, version }, isDisabled }: AskProps & { readonly isDisabled: boolean }) {
  const [isAsked, setAsked] = useState(false)
  const publish = useWrite(publishCourse, { changes: CHANGES })
  return (
    <>
      <Button disabled={isDisabled} onClick={() => setAsked(true)}>
        {say.publish}
      </Button>
      <Dialog isOpen={isAsked} onClose={() => setAsked(false)} title={say.publishTitle((version ?? 0) + 1)}>
        <Stack>
          {publish.error && <Problem error={publish.error} />}
          <Text size="sm">{say.publishText}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(false)}>
              {words.form.cancel}
            </Button>
            <Button
              loading={publish.isPending}
              onClick={() =>
                publish.mutate(
                  { courseId },
                  {
                    onSuccess: (done) => {
                      setAsked(false)
                      notify(say.published(done.version))
                    },
                  },
                )
              }
            >
              {say.publish}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}

function Discard({ of: { courseId } }: AskProps) {
  const [isAsked, setAsked] = useState(false)
  const discard = useWrite(discardCourseDraft, { changes: CHANGES })
  return (
    <>
      <Button variant="subtle" color="gray" onClick={() => setAsked(true)}>
        {say.discard}
      </Button>
      <Dialog isOpen={isAsked} onClose={() => setAsked(false)} title={say.discardTitle}>
        <Stack>
          {discard.error && <Problem error={discard.error} />}
          <Text size="sm">{say.discardText}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(false)}>
              {words.form.cancel}
            </Button>
            <Button
              color="red"
              loading={discard.isPending}
              onClick={() =>
                discard.mutate(
                  { courseId },
                  {
                    onSuccess: () => {
                      setAsked(false)
                      notify(say.discarded)
                    },
                  },
                )
              }
            >
              {say.discard}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  )
}

function Versions({ courseId }: { readonly courseId: string }) {
  const versions = useQuery(query(listCourseVersions, { courseId, limit: 100 }))
  return (
    <Card title={say.versions} action={(versions.data?.total ?? 0) > 0 && <NewClass courseId={courseId} />} isFlush>
      <Loaded of={versions} lines={2}>
        {({ docs }) =>
          docs.length === 0 ? (
            <Text size="sm" c="dimmed" px={20} pb="md">
              {dashboard.mine.unpublished}
            </Text>
          ) : (
            <Table aria-label={say.versions} horizontalSpacing={20}>
              <Table.Tbody>
                {docs.map((one) => (
                  <Table.Tr key={one.version}>
                    <Table.Td>{dashboard.mine.version(one.version)}</Table.Td>
                    <Table.Td>
                      <Time at={one.publishedDate} />
                    </Table.Td>
                    <Table.Td>{dashboard.mine.classCount(one.classes)}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )
        }
      </Loaded>
    </Card>
  )
}
