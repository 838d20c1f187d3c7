import { ActionIcon, Anchor, Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { type ComponentProps, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react'
import type { CourseDocument } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import {
  ArrowDown,
  ArrowUp,
  Copy,
  EllipsisVertical,
  Eye,
  Menu as Grip,
  PackagePlus,
  Pencil,
  Plus,
  Trash2,
} from '../../parts/icons.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { notify, offerUndo } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { Lines } from '../../parts/states.tsx'
import { packageWords } from '../packages/words.ts'
import treeClasses from '../progress/lesson-tree.module.css'
import { dashboardWords } from '../words.ts'
import {
  addLesson,
  addStep,
  allLessons,
  duplicateLesson,
  findLesson,
  type LessonPosition,
  moveTo,
  neighbourOf,
  type PartProps,
  removeLesson,
  setLesson,
} from './course-model.ts'
import { placesIn, useDrag } from './drag.ts'
import type { Step } from './kinds/fields-props.ts'
import { kindOf } from './kinds/kinds.tsx'
import classes from './lesson-list.module.css'
import { errorsOf, type Mistake } from './mistakes.ts'
import { editingWords } from './words.ts'

/** Loaded when somebody edits a lesson, because the page itself must stay small. */
const LessonForm = onDemand(
  async () => (await import('./lesson-form.tsx')).LessonForm,
  () => <Lines />,
)

const { course: say } = dashboardWords

interface LessonsProps extends PartProps {
  readonly mistakes: readonly Mistake[]
  /** Called when the author has changed a lesson, or only its place. */
  readonly onCorrected: (change: { readonly id: string } | 'order') => void
  readonly hasUnsaved: boolean
  /** Id of the lesson whose form is open. */
  readonly edited: string | undefined
  readonly onEdit: (id: string | undefined) => void
  readonly onAddPackage: () => void
}

/** Lists the lessons of a course in order, each with its steps, and lets authors change them. */
export function Lessons({
  doc,
  onChange,
  mistakes,
  onCorrected,
  hasUnsaved,
  edited,
  onEdit,
  onAddPackage,
}: LessonsProps) {
  // A new lesson is not part of the course before its form is applied, so that Cancel leaves nothing behind.
  const [added, setAdded] = useState<CourseDocument>()
  const [announced, setAnnounced] = useState('')
  const navigate = useNavigate()
  const list = useRef<HTMLOListElement>(null)
  const shown = added ?? doc
  const all = allLessons(shown)
  const place = edited === undefined ? undefined : findLesson(shown, edited)
  const found = place && lessonAt(shown, place)
  const close = () => {
    onEdit(undefined)
    setAdded(undefined)
  }
  const add = (next: CourseDocument, last: Step | undefined) => {
    setAdded(next)
    onEdit(last?.id)
  }
  const keepFocus = useKeptFocus(doc)
  const move = (from: LessonPosition, to: LessonPosition) => {
    const { id, name } = lessonAt(doc, from)!
    const next = moveTo(doc, from, to)
    keepFocus()
    onChange(next)
    onCorrected('order')
    setAnnounced(describePlace(next, id, name))
  }
  const { drag, gripOf } = useDrag(list, doc, move)
  return (
    <Card
      title={say.lessons}
      action={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<PackagePlus size={14} aria-hidden />}
            onClick={onAddPackage}
          >
            {packageWords.course.add}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => {
              const next = addLesson(doc, say.untitled)
              add(next, next.lessons.at(-1))
            }}
          >
            {say.addLesson}
          </Button>
        </Group>
      }
      isFlush
    >
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {doc.lessons.length === 0 ? say.noLessons : say.lessonsText}
      </Text>
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
      <ol className={treeClasses.tree} ref={list}>
        {placesIn(doc).map((at, row) => {
          const one = lessonAt(doc, at)!
          const drop = drag?.drop?.row === row ? drag.drop.edge : undefined
          const isDragged =
            drag?.from.lesson === at.lesson && (drag.from.step === undefined || drag.from.step === at.step)
          const moveBy = (by: 1 | -1) => {
            const to = neighbourOf(doc, at, by)
            if (to) move(at, to)
          }
          return (
            <LessonRow
              key={one.id}
              lesson={one}
              all={all}
              errors={Object.values(errorsOf(mistakes, one.id))}
              isStep={at.step !== undefined}
              isFirst={neighbourOf(doc, at, -1) === undefined}
              isLast={neighbourOf(doc, at, 1) === undefined}
              marks={{ ...(drop && { 'data-drop': drop }), ...(isDragged && { 'data-dragged': true }) }}
              grip={gripOf(at)}
              onMove={moveBy}
              onEdit={() => onEdit(one.id)}
              {...(!showsPackage(doc, at) && {
                onDuplicate: () => {
                  const { doc: next, copy } = duplicateLesson(doc, at, editingWords.copyOf)
                  onChange(next)
                  notify(editingWords.duplicated(copy.name))
                },
              })}
              {...(!hasUnsaved && {
                onPreview: () =>
                  void navigate({
                    to: '/dashboard/courses/$courseId/preview/$lessonId',
                    params: { courseId: doc.courseId, lessonId: one.id },
                  }),
              })}
              onRemove={() => {
                onChange(removeLesson(doc, at))
                offerUndo(say.removed(one.name), () => onChange(doc))
              }}
              {...(at.step === undefined && {
                onAddStep: () => {
                  const next = addStep(doc, at.lesson, say.newStep)
                  add(next, next.lessons[at.lesson]!.childLessons!.at(-1))
                },
              })}
            />
          )
        })}
      </ol>
      <Dialog isOpen={found !== undefined} onClose={close} title={found?.name ?? ''} size="large">
        {found && (
          <LessonForm
            key={found.id}
            course={shown}
            lesson={found}
            others={all.filter(({ id }) => id !== found.id)}
            mistakes={errorsOf(mistakes, found.id)}
            onClose={close}
            onApply={(lesson) => {
              onChange(setLesson(shown, place!, lesson))
              onCorrected({ id: lesson.id })
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

/** Whether a lesson or one of its steps shows a unit of a package, which only one lesson of a course can do. */
const showsPackage = ({ lessons }: CourseDocument, { lesson, step }: LessonPosition): boolean => {
  const { childLessons = [], ...own } = lessons[lesson]!
  const shown = step === undefined ? [own, ...childLessons] : [childLessons[step]!]
  return shown.some((one) => one.package !== undefined)
}

function describePlace(doc: CourseDocument, id: string, name: string): string {
  const { lesson, step } = findLesson(doc, id)!
  const { name: parent, childLessons = [] } = doc.lessons[lesson]!
  return step === undefined
    ? editingWords.movedTo(name, lesson + 1, doc.lessons.length)
    : editingWords.movedInto(name, parent, step + 1, childLessons.length)
}

/** Returns the focus to the pressed control after its row has moved, or to the grip if the control is disabled now. */
function useKeptFocus(doc: CourseDocument): () => void {
  const kept = useRef<Element>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus is lost when the rows change
  useLayoutEffect(() => {
    const element = kept.current
    kept.current = null
    if (!(element instanceof HTMLElement) || element === document.body) return
    element.focus()
    if (document.activeElement !== element) element.closest('li')?.querySelector('button')?.focus()
  }, [doc])
  return () => {
    kept.current = document.activeElement
  }
}

interface LessonRowProps {
  readonly lesson: Step
  readonly all: readonly Step[]
  readonly errors: readonly string[]
  readonly isStep: boolean
  readonly isFirst: boolean
  readonly isLast: boolean
  readonly marks: object
  readonly grip: ComponentProps<'button'>
  readonly onMove: (by: 1 | -1) => void
  readonly onEdit: () => void
  readonly onDuplicate?: () => void
  readonly onPreview?: () => void
  readonly onRemove: () => void
  readonly onAddStep?: () => void
}

const KEYS: Readonly<Record<string, 1 | -1>> = { ArrowUp: -1, ArrowDown: 1 }

function LessonRow(props: LessonRowProps) {
  const { lesson, all, errors, isStep, isFirst, isLast, marks, grip } = props
  const { onMove, onEdit, onDuplicate, onPreview, onRemove, onAddStep } = props
  const before = (lesson.prerequisites ?? []).map((id) => all.find((one) => one.id === id)?.name ?? id)
  const facts = [
    say.kinds[kindOf(lesson)],
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
  ] as const
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.altKey ? KEYS[event.key] : undefined
    if (by === undefined) return
    event.preventDefault()
    onMove(by)
  }
  return (
    <li
      className={`${treeClasses.row} ${classes.row}`}
      {...(isStep && { 'data-step': true })}
      {...marks}
      onKeyDown={onKeyDown}
    >
      <div className={classes.start}>
        <button type="button" className={classes.grip} aria-label={editingWords.move(lesson.name)} {...grip}>
          <Grip size={16} aria-hidden />
        </button>
        <div className={treeClasses.text}>
          <Group gap="xs">
            <Text fw={600}>{lesson.name}</Text>
            {lesson.isAssessment && <Badge color="sky">{say.assessment}</Badge>}
          </Group>
          <Text size="xs" c="dimmed">
            {facts.join(' · ')}
          </Text>
          {[...new Set(errors)].map((message) => (
            <Text key={message} size="sm" c="red">
              {message}
            </Text>
          ))}
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
        <MenuButton
          position="bottom-end"
          button={
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={editingWords.actionsOf(lesson.name)}>
              <EllipsisVertical size={16} aria-hidden />
            </ActionIcon>
          }
        >
          {(Menu) => (
            <>
              {onDuplicate && (
                <Menu.Item leftSection={<Copy size={16} aria-hidden />} onClick={onDuplicate}>
                  {editingWords.duplicate}
                </Menu.Item>
              )}
              <Menu.Item leftSection={<Eye size={16} aria-hidden />} disabled={!onPreview} onClick={onPreview}>
                {editingWords.preview}
              </Menu.Item>
              <Menu.Item color="red" leftSection={<Trash2 size={16} aria-hidden />} onClick={onRemove}>
                {editingWords.remove}
              </Menu.Item>
            </>
          )}
        </MenuButton>
      </Group>
    </li>
  )
}
