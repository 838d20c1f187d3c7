import { Badge, Button, Group, Text, VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Results } from '../../api/operations.ts'
import { sayDuration } from '../../parts/time.tsx'
import { LateBadge, sayDates, sayLock } from '../dates/lesson-dates.tsx'
import { dashboardWords } from '../words.ts'
import classes from './lesson-tree.module.css'
import { OwnAttempts } from './own-attempts.tsx'
import { ResultBadge } from './result-badge.tsx'

const { lessons: say } = dashboardWords
type LessonResult = Results['lessons'][number]

interface LessonRowProps {
  readonly lesson: LessonResult
  readonly classId: string
  readonly about: { readonly description: string; readonly expectedCompletionTime: number } | undefined
  readonly mayLaunch: boolean
  readonly isNext: boolean
  /** Whether students work on the lessons below it, and not on the lesson itself. */
  readonly isGroup?: boolean
  readonly isBusy: boolean
  readonly onOpen: () => void
}

/** A lesson of the student: its result, what explains it, and a button that opens the lesson. */
export function LessonRow({
  lesson,
  classId,
  about,
  mayLaunch,
  isNext,
  isGroup = false,
  isBusy,
  onOpen,
}: LessonRowProps) {
  const facts = [
    ...sayDates(lesson).filter((text) => !(lesson.locked && text === sayLock(lesson))),
    lesson.score === null ? undefined : say.score(lesson.score),
    lesson.bestScore !== null && lesson.bestScore !== lesson.score ? say.best(lesson.bestScore) : undefined,
    lesson.attempts > 0 ? say.attempts(lesson.attempts) : undefined,
    lesson.attemptsLeft !== null ? say.attemptsLeft(lesson.attemptsLeft) : undefined,
    lesson.timeOnTask > 0 ? say.onTask(sayDuration(lesson.timeOnTask)) : undefined,
    lesson.attempts === 0 && about && about.expectedCompletionTime > 0
      ? say.expected(about.expectedCompletionTime)
      : undefined,
  ].filter((one) => one !== undefined)
  const [label, whole] = isGroup ? [say.openFirst, say.openFirstOf(lesson.name)] : actionOf(lesson)
  return (
    <li className={classes.row} {...(lesson.parentId !== null && { 'data-step': true })}>
      <div className={classes.text}>
        <Group gap="xs">
          <Text fw={600}>{lesson.name}</Text>
          <ResultBadge result={lesson.locked && lesson.result === 'NOT STARTED' ? 'locked' : lesson.result} />
          {lesson.awaitsGrade && (
            <Badge variant="light" color="yellow">
              {say.awaitsGrade}
            </Badge>
          )}
          <LateBadge late={lesson.late} overdue={lesson.overdue} />
        </Group>
        {lesson.locked ? (
          <Text size="sm" c="dimmed" mt={2}>
            {sayLock(lesson)}
          </Text>
        ) : (
          <>
            {lesson.attempts === 0 && about && about.description !== '' && (
              <Text size="sm" c="dimmed" mt={2}>
                {about.description}
              </Text>
            )}
            {lesson.attempts > 0 && (
              <Text size="sm" c="dimmed" mt={2}>
                {lesson.explanation}
              </Text>
            )}
          </>
        )}
        {facts.length > 0 && (
          <Text size="xs" c="dimmed" mt={4} component="div">
            {facts.join(' · ')}
            {lesson.attempts > 0 && <OwnAttempts classId={classId} lessonId={lesson.lessonId} lesson={lesson.name} />}
          </Text>
        )}
      </div>
      {mayLaunch && !lesson.locked && !(lesson.attemptsLeft === 0 && lesson.result !== 'IN PROGRESS') && (
        <Button
          variant={isNext || (lesson.result === 'IN PROGRESS' && !isGroup) ? 'filled' : 'default'}
          size="sm"
          loading={isBusy}
          {...(isHere(lesson)
            ? {
                renderRoot: (props: object) => (
                  <Link {...props} to={LESSON} params={{ classId, lessonId: lesson.lessonId }} />
                ),
              }
            : { onClick: onOpen })}
          className={classes.action}
        >
          <span aria-hidden>{label}</span>
          <VisuallyHidden>{whole}</VisuallyHidden>
        </Button>
      )}
    </li>
  )
}

const LESSON = '/dashboard/classes/$classId/lessons/$lessonId'

/** Whether students work on the lesson on a page of the platform. */
const isHere = ({ kind }: LessonResult): boolean => kind !== 'app'

function actionOf({ name, kind, result, passed, attempts }: LessonResult): [label: string, whole: string] {
  // Students only read about an instructor-led lesson here.
  if (kind === 'instructor-led')
    return attempts === 0 ? [say.openFirst, say.openFirstOf(name)] : [say.open, say.openOf(name)]
  if (result === 'IN PROGRESS') return [say.goOn, say.goOnOf(name)]
  if (passed) return [say.open, say.openOf(name)]
  return result === 'NOT STARTED' ? [say.start, say.startOf(name)] : [say.again, say.againOf(name)]
}
