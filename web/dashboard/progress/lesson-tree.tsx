import { Group, Progress, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { isConsentMissing } from '../../api/call.ts'
import { type ClassDetails, launchLesson, listLessonsOfCourse, type Results } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { BookOpen } from '../../parts/icons.tsx'
import { onDemand, useOnDemand } from '../../parts/on-demand.ts'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { dashboardWords } from '../words.ts'
import { LessonRow } from './lesson-row.tsx'
import classes from './lesson-tree.module.css'
import { OwnBadges } from './own-badges.tsx'

/** Loaded on demand, so that the lessons appear first. */
const OwnHistory = onDemand(async () => (await import('./own-history.tsx')).OwnHistory)

const PendingEvaluations = onDemand(
  async () => (await import('../evaluations/pending-evaluations.tsx')).PendingEvaluations,
)

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
  const consent = useOnDemand(asked !== undefined, () => import('../../parts/allow-dialog.tsx'))
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
        const next = findNext(lessons)
        return (
          <Stack gap="lg">
            {problem && <Problem title={say.startFailed} error={problem} />}
            {lessons.some(isEvaluated) && <PendingEvaluations classId={classId} />}
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
                        isNext={one === next}
                        isGroup={isGroup(one, lessons)}
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
            <OwnHistory
              classId={classId}
              studentId={studentId!}
              lessons={lessons}
              mayWrite={may.writeOwnNotes && !ended}
            />
            {consent && (
              <consent.AllowDialog
                title={say.allowTitle}
                why={asked?.why}
                text={say.allowText}
                go={say.allow}
                isPending={launch.isPending}
                onAllow={() => asked && open(asked.lessonId, true)}
                onClose={() => setAsked(undefined)}
              />
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}

const isEvaluated = ({ kind, attempts }: LessonResult): boolean => kind === 'instructor-led' && attempts > 0

/** Whether a lesson is a group of a content package: students open the lessons in it, and not the group. */
const isGroup = ({ kind, lessonId }: LessonResult, lessons: readonly LessonResult[]): boolean =>
  kind === 'package' && lessons.some(({ parentId }) => parentId === lessonId)

/** Finds the first lesson that the student can work on and has not passed. In a group it is a lesson of the group. */
function findNext(lessons: readonly LessonResult[]): LessonResult | undefined {
  const isOpen = ({ passed, locked }: LessonResult) => !passed && !locked
  const next = lessons.find((one) => one.parentId === null && isOpen(one))
  if (!next || !isGroup(next, lessons)) return next
  return lessons.find((one) => one.parentId === next.lessonId && isOpen(one)) ?? next
}
