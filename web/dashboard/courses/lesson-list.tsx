import { ActionIcon, Anchor, Badge, Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import type { CourseDocument } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { ArrowDown, ArrowUp, Pencil, Plus, Trash2 } from '../../parts/icons.tsx'
import { offerUndo } from '../../parts/notify.tsx'
import treeClasses from '../progress/lesson-tree.module.css'
import { dashboardWords } from '../words.ts'
import {
  addLesson,
  addStep,
  allLessons,
  type LessonPosition,
  moveLesson,
  type PartProps,
  removeLesson,
  setLesson,
} from './course-model.ts'
import type { Step } from './kinds/fields-props.ts'
import { LessonForm } from './lesson-form.tsx'

const { course: say } = dashboardWords

/** Lists the lessons of a course in order, each with its steps, and lets authors change them. */
export function Lessons({ doc, onChange }: PartProps) {
  const [edited, setEdited] = useState<LessonPosition>()
  // A new lesson is not part of the course before its form is applied, so that Cancel leaves nothing behind.
  const [added, setAdded] = useState<CourseDocument>()
  const all = allLessons(added ?? doc)
  const found = edited && lessonAt(added ?? doc, edited)
  const close = () => {
    setEdited(undefined)
    setAdded(undefined)
  }
  const add = (next: CourseDocument, place: LessonPosition) => {
    setAdded(next)
    setEdited(place)
  }
  const remove = (place: LessonPosition, name: string) => {
    onChange(removeLesson(doc, place))
    offerUndo(say.removed(name), () => onChange(doc))
  }
  const row = (one: Step, place: LessonPosition, count: number) => (
    <LessonRow
      key={one.id}
      lesson={one}
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
          add(addStep(doc, place.lesson, say.newStep), { lesson: place.lesson, step })
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
          onClick={() => add(addLesson(doc, say.untitled), { lesson: doc.lessons.length })}
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
      <Dialog isOpen={found !== undefined} onClose={close} title={found?.name ?? ''}>
        {found && (
          <LessonForm
            key={found.id}
            course={added ?? doc}
            lesson={found}
            others={all.filter(({ id }) => id !== found.id)}
            onClose={close}
            onApply={(lesson) => {
              onChange(setLesson(added ?? doc, edited!, lesson))
              close()
            }}
          />
        )}
      </Dialog>
    </Card>
  )
}

const lessonAt = ({ lessons }: CourseDocument, { lesson, step }: LessonPosition): Step | undefined => {
  const found = lessons[lesson]
  if (step !== undefined || !found) return found?.childLessons?.[step!]
  // Leave out the steps, because the form of a lesson does not change them.
  const { childLessons: _, ...own } = found
  return own
}

interface LessonRowProps {
  readonly lesson: Step
  readonly all: readonly Step[]
  readonly isStep: boolean
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly onMove: (by: number) => void
  readonly onEdit: () => void
  readonly onRemove: () => void
  readonly onAddStep?: () => void
}

function LessonRow({ lesson, all, isStep, isFirst, isLast, onMove, onEdit, onRemove, onAddStep }: LessonRowProps) {
  const before = (lesson.prerequisites ?? []).map((id) => all.find((one) => one.id === id)?.name ?? id)
  const facts = [
    lesson.expectedCompletionTime ? say.minutes(lesson.expectedCompletionTime) : undefined,
    lesson.threshold === undefined ? undefined : say.points(lesson.threshold),
    lesson.maxAttempts === undefined ? undefined : say.tries(lesson.maxAttempts),
    lesson.instructorGraded ? say.graded : undefined,
    before.length > 0 ? say.needs(before.join(', ')) : undefined,
  ].filter((one) => one !== undefined)
  const tools = [
    [say.up(lesson.name), ArrowUp, () => onMove(-1), isFirst],
    [say.down(lesson.name), ArrowDown, () => onMove(1), isLast],
    [say.editOf(lesson.name), Pencil, onEdit, false],
    [say.removeOf(lesson.name), Trash2, onRemove, false],
  ] as const
  return (
    <li className={treeClasses.row} {...(isStep && { 'data-step': true })}>
      <div className={treeClasses.text}>
        <Group gap="xs">
          <Text fw={600}>{lesson.name}</Text>
          {lesson.isAssessment && <Badge color="sky">{say.assessment}</Badge>}
        </Group>
        {facts.length > 0 && (
          <Text size="xs" c="dimmed">
            {facts.join(' · ')}
          </Text>
        )}
        {onAddStep && (
          <Anchor
            component="button"
            type="button"
            size="xs"
            onClick={onAddStep}
            aria-label={say.addStepOf(lesson.name)}
          >
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
