import { Badge, Button, Group, Progress, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { type ClassDetails, launchLesson, listLessonsOfCourse, type Results } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { AllowDialog, isConsentMissing } from '../../parts/allow-dialog.tsx'
import { Card } from '../../parts/card.tsx'
import { BookOpen } from '../../parts/icons.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { sayDuration } from '../../parts/time.tsx'
import { LateBadge, sayDates, sayLock } from '../dates/lesson-dates.tsx'
import { dashboardWords } from '../words.ts'
import classes from './lesson-tree.module.css'
import { OwnAttempts } from './own-attempts.tsx'
import { OwnBadges } from './own-badges.tsx'
import { ResultBadge } from './result-badge.tsx'

/** Loaded on demand, so that the lessons appear first. */
const OwnHistory = lazy(async () => ({ default: (await import('./own-history.tsx')).OwnHistory }))

const PendingEvaluations = lazy(async () => ({
  default: (await import('../evaluations/pending-evaluations.tsx')).PendingEvaluations,
}))

const route = getRouteApi('/signed-in/dashboard/classes/$classId/')
const { lessons: say } = dashboardWords
type LessonResult = Results['lessons'][number]

/** Shows a student's own lessons with results and explanations, and the next step. */
export function LessonTree({
  classDetails: { classId, course, studentId, ended, may },
}: {
  readonly classDetails: ClassDetails
}) {
  const results = useQuery(route.useLoaderData().results)
  // Descriptions of the lessons. They come from the course, and the lessons are shown without waiting for them.
  const about = useQuery(query(listLessonsOfCourse, { courseId: course.courseId, limit: 100 }))
  const launch = useWrite(launchLesson, { onDone: ({ uri }) => location.assign(uri) })
  const [asked, setAsked] = useState<{ lessonId: string; why: string }>()
  const open = (lessonId: string, isAllowed = false) =>
    launch.mutate(
      { lessonId, classId, ...(isAllowed && { allow: true }) },
      {
        onError: (error) => {
          if (isConsentMissing(error)) setAsked({ lessonId, why: error.message })
        },
      },
    )
  const problem = isConsentMissing(launch.error) ? null : launch.error
  const texts = new Map(
    about.data?.docs.flatMap((one) => [one, ...one.childLessons]).map((one) => [one.lessonId, one]) ?? [],
  )
  return (
    <Loaded query={results} lines={6}>
      {({ lessons, objectives }) => {
        const whole = lessons.filter(({ parentId }) => parentId === null)
        const passed = whole.filter((one) => one.passed).length
        return (
          <Stack gap="lg">
            {problem && <Problem title={say.startFailed} error={problem} />}
            {lessons.some(isEvaluated) && (
              <Suspense>
                <PendingEvaluations classId={classId} />
              </Suspense>
            )}
            <Card title={say.title} action={<Text size="sm">{say.progress(passed, whole.length)}</Text>} isFlush>
              {whole.length === 0 ? (
                <Empty icon={BookOpen} title={say.empty} />
              ) : (
                <>
                  <Progress
                    value={(100 * passed) / whole.length}
                    color="green"
                    size="sm"
                    mx={20}
                    mt="xs"
                    mb="md"
                    aria-label={say.progress(passed, whole.length)}
                  />
                  <ol className={classes.tree}>
                    {lessons.map((one) => (
                      <LessonRow
                        key={one.lessonId}
                        lesson={one}
                        mayLaunch={may.launch}
                        classId={classId}
                        about={texts.get(one.lessonId)}
                        isNext={one === whole.find(({ passed, locked }) => !passed && !locked)}
                        isBusy={launch.isPending && launch.variables.lessonId === one.lessonId}
                        onOpen={() => open(one.lessonId)}
                      />
                    ))}
                  </ol>
                </>
              )}
            </Card>
            {objectives.length > 0 && (
              <Card title={say.objectives}>
                <Stack gap="sm">
                  {objectives.map(({ objectiveId, name, score }) => (
                    <div key={objectiveId}>
                      <Group justify="space-between">
                        <Text size="sm" fw={550}>
                          {name}
                        </Text>
                        <Text size="sm" c="dimmed">
                          {score === null ? say.noScore : Math.round(score)}
                        </Text>
                      </Group>
                      <Progress value={score ?? 0} size="sm" mt={4} aria-label={name} />
                    </div>
                  ))}
                </Stack>
              </Card>
            )}
            <OwnBadges organisation={course.organisation} />
            <Suspense>
              <OwnHistory
                classId={classId}
                studentId={studentId!}
                lessons={lessons}
                mayWrite={may.writeOwnNotes && !ended}
              />
            </Suspense>
            <AllowDialog
              title={say.allowTitle}
              why={asked?.why}
              text={say.allowText}
              go={say.allow}
              isPending={launch.isPending}
              onAllow={() => asked && open(asked.lessonId, true)}
              onClose={() => setAsked(undefined)}
            />
          </Stack>
        )
      }}
    </Loaded>
  )
}

interface LessonRowProps {
  readonly lesson: LessonResult
  readonly classId: string
  readonly about: { readonly description: string; readonly expectedCompletionTime: number } | undefined
  readonly mayLaunch: boolean
  readonly isNext: boolean
  readonly isBusy: boolean
  readonly onOpen: () => void
}

function LessonRow({ lesson, classId, about, mayLaunch, isNext, isBusy, onOpen }: LessonRowProps) {
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
  const [label, whole] = actionOf(lesson)
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
          variant={isNext || lesson.result === 'IN PROGRESS' ? 'filled' : 'default'}
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

const isEvaluated = ({ kind, attempts }: LessonResult): boolean => kind === 'instructor-led' && attempts > 0

function actionOf({ name, kind, result, passed, attempts }: LessonResult): [label: string, whole: string] {
  // Students only read about an instructor-led lesson here.
  if (kind === 'instructor-led')
    return attempts === 0 ? [say.openFirst, say.openFirstOf(name)] : [say.open, say.openOf(name)]
  if (result === 'IN PROGRESS') return [say.goOn, say.goOnOf(name)]
  if (passed) return [say.open, say.openOf(name)]
  return result === 'NOT STARTED' ? [say.start, say.startOf(name)] : [say.again, say.againOf(name)]
}
