import { ActionIcon, Anchor, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  type ClassDetails,
  clearLock,
  listLocks,
  type Results,
  readGradebook,
  readResults,
  type Student,
  setLock,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { EllipsisVertical, UserX } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { offerUndo } from '../../parts/notify.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { Empty, Loaded, Problem } from '../../parts/states.tsx'
import { sayDuration } from '../../parts/time.tsx'
import { LateBadge, sayDates, sayLock } from '../dates/lesson-dates.tsx'
import type { OverrideTarget } from '../dates/override-dialog.tsx'
import { dateWords } from '../dates/words.ts'
import { evaluationWords } from '../evaluations/words.ts'
import type { ReportTarget } from '../launches/report-target.ts'
import { launchWords } from '../launches/words.ts'
import type { StudentLesson } from '../progress/attempts-dialogs.tsx'
import type { AttemptToGrade } from '../progress/grade-dialog.tsx'
import classes from '../progress/lesson-tree.module.css'
import { NotesCard } from '../progress/notes-card.tsx'
import { ResultBadge } from '../progress/result-badge.tsx'
import { StudentTimeline } from '../progress/timeline.tsx'
import { useTimeline } from '../progress/use-timeline.ts'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'

// The dialogs are loaded when they are opened: the page itself must stay small.
const GradeDialog = onDemand(async () => (await import('../progress/grade-dialog.tsx')).GradeDialog)
const ExtraDialog = onDemand(async () => (await import('../progress/attempts-dialogs.tsx')).ExtraDialog)
const ResetDialog = onDemand(async () => (await import('../progress/attempts-dialogs.tsx')).ResetDialog)

const ReportDialog = onDemand(async () => (await import('../launches/report-dialog.tsx')).ReportDialog)

const OverrideDialog = onDemand(async () => (await import('../dates/override-dialog.tsx')).OverrideDialog)

const route = getRouteApi('/signed-in/dashboard/classes/$classId/students/$studentId')
const { student: say } = dashboardWords

/** Shows one student of a class, to those who teach or observe the class. */
export function StudentPage() {
  const { classId } = route.useParams()
  const found = useQuery(route.useLoaderData().students)
  return (
    <Loaded query={found}>
      {({ docs: [student] }) =>
        student ? (
          <>
            <PageHead
              title={student.name || student.handle}
              lead={say.lead(student.handle, say.statuses[student.status])}
            />
            <Content student={student} />
          </>
        ) : (
          <Empty
            icon={UserX}
            title={say.missing}
            action={
              <ButtonLink to="/dashboard/classes/$classId/gradebook" params={{ classId }} variant="default">
                {say.toGradebook}
              </ButtonLink>
            }
          >
            {say.missingText}
          </Empty>
        )
      }
    </Loaded>
  )
}

function Content({ student }: { readonly student: Student }) {
  const classDetails = useClass()
  const { classId } = classDetails
  const { studentId } = student
  const { from, to } = route.useSearch()
  const navigate = route.useNavigate()
  const results = useQuery(route.useLoaderData().results)
  const timeline = useTimeline(classId, studentId)
  return (
    <Loaded query={results}>
      {({ lessons }) => (
        <Stack gap="lg">
          {timeline.error && <Problem error={timeline.error} onRetry={() => void timeline.refetch()} />}
          {timeline.data && (
            <StudentTimeline
              entries={timeline.data}
              lessons={lessons}
              span={from !== undefined && to !== undefined ? { from, to } : undefined}
              onSpan={(span) =>
                void navigate({
                  search: span ? { from: Math.round(span.from), to: Math.round(span.to) } : {},
                  replace: true,
                  resetScroll: false,
                })
              }
              onMore={timeline.hasNextPage ? () => void timeline.fetchNextPage() : undefined}
              isMoreComing={timeline.isFetchingNextPage}
            >
              <Lessons classDetails={classDetails} student={student} lessons={lessons} />
              <NotesCard
                entries={timeline.data}
                lessons={lessons}
                studentId={studentId}
                mayWrite={classDetails.may.keepNotes && !classDetails.ended}
                mayRemove={classDetails.may.keepNotes}
              />
            </StudentTimeline>
          )}
        </Stack>
      )}
    </Loaded>
  )
}

interface LessonsProps {
  readonly classDetails: ClassDetails
  readonly student: Student
  readonly lessons: Results['lessons']
}

/** Lists the lessons of the student with results and explanations, and the actions that instructors may take. */
function Lessons({ classDetails, student, lessons }: LessonsProps) {
  const { classId, may } = classDetails
  const { studentId } = student
  const navigate = useNavigate()
  const locks = useQuery(query(listLocks, { classId }))
  const changes = [listLocks, readResults, readGradebook]
  const lock = useWrite(setLock, { changes })
  const clear = useWrite(clearLock, { changes })
  const [graded, setGraded] = useState<AttemptToGrade>()
  const [extra, setExtra] = useState<StudentLesson>()
  const [reset, setReset] = useState<StudentLesson>()
  const [dated, setDated] = useState<OverrideTarget>()
  const [reported, setReported] = useState<ReportTarget>()
  const name = student.name || student.handle
  const byHandOf = (lessonId: string) =>
    locks.data?.find((one) => one.lessonId === lessonId && one.studentId === studentId)
  const put = (lessonId: string, locked: boolean | undefined, onSuccess?: () => void) => {
    if (locked === undefined) clear.mutate({ classId, lessonId, studentId }, { ...(onSuccess && { onSuccess }) })
    else lock.mutate({ classId, lessonId, studentId, locked }, { ...(onSuccess && { onSuccess }) })
  }
  const decide = ({ lessonId, name: lesson }: Results['lessons'][number], locked: boolean | undefined) => {
    const before = byHandOf(lessonId)?.locked
    const state =
      locked === undefined
        ? dashboardWords.locks.course
        : locked
          ? dashboardWords.locks.locked
          : dashboardWords.locks.open
    put(lessonId, locked, () => offerUndo(dashboardWords.locks.done(lesson, state), () => put(lessonId, before)))
  }
  const error = lock.error ?? clear.error
  return (
    <Card title={say.lessons} isFlush>
      <Text size="sm" c="dimmed" px={20} pb="sm">
        {say.lessonsText}
      </Text>
      {error && <Problem title={dashboardWords.locks.failed} error={error} />}
      <ol className={classes.tree}>
        {lessons.map((one) => {
          const byHand = byHandOf(one.lessonId)
          const about = {
            classId,
            studentId,
            student: name,
            lessonId: one.lessonId,
            lesson: one.name,
            attempts: one.attempts,
          }
          return (
            <li
              key={one.lessonId}
              className={classes.row}
              data-menu
              {...(one.parentId !== null && { 'data-step': true })}
            >
              <div className={classes.text}>
                <Group gap="xs">
                  <Text fw={600}>{one.name}</Text>
                  <ResultBadge result={one.locked && one.result === 'NOT STARTED' ? 'locked' : one.result} />
                  <LateBadge late={one.late} overdue={one.overdue} />
                  {byHand && (
                    <Text size="xs" c="dimmed">
                      {byHand.locked ? dashboardWords.locks.locked : dashboardWords.locks.open}, {say.byHand}
                    </Text>
                  )}
                </Group>
                <Text size="sm" c="dimmed" mt={2}>
                  {one.locked && one.attempts === 0 ? sayLock(one) : one.explanation}
                </Text>
                {(one.attempts > 0 || sayDates(one).length > 0) && (
                  <Text size="xs" c="dimmed" mt={4}>
                    {[
                      ...sayDates(one),
                      one.score === null ? undefined : dashboardWords.lessons.score(one.score),
                      ...(one.attempts > 0
                        ? [
                            dashboardWords.lessons.attempts(one.attempts),
                            dashboardWords.lessons.onTask(sayDuration(one.timeOnTask)),
                          ]
                        : []),
                    ]
                      .filter((fact) => fact !== undefined)
                      .join(' · ')}
                  </Text>
                )}
                {one.kind === 'package' && (
                  <Anchor
                    component="button"
                    type="button"
                    size="xs"
                    onClick={() =>
                      setReported({
                        ...{ classId, studentId, name, lessonId: one.lessonId, lesson: one.name },
                        mayGrade: may.grade,
                      })
                    }
                  >
                    <span aria-hidden>{launchWords.staff.report}</span>
                    <VisuallyHidden>{launchWords.staff.reportOf(one.name)}</VisuallyHidden>
                  </Anchor>
                )}
              </div>
              {(may.grade || may.setLocks) && (
                <MenuButton
                  position="bottom-end"
                  withinPortal
                  button={
                    <ActionIcon variant="subtle" color="gray" size="lg" aria-label={say.menu(one.name)}>
                      <EllipsisVertical size={18} aria-hidden />
                    </ActionIcon>
                  }
                >
                  {(Menu) => (
                    <>
                      {may.grade && one.completed !== null && one.lessonResultId !== null && (
                        <Menu.Item
                          onClick={() =>
                            setGraded({
                              classId,
                              studentId,
                              name,
                              lessonId: one.lessonId,
                              lessonName: one.name,
                              lessonResultId: one.lessonResultId!,
                              // The first grade of an attempt needs no reason. If the platform requires one anyway, the
                              // dialog shows its error.
                              isFirst: one.result === 'INCOMPLETE',
                            })
                          }
                        >
                          {one.result === 'INCOMPLETE' ? dashboardWords.grading.grade : say.grade}
                        </Menu.Item>
                      )}
                      {may.evaluate && one.kind === 'instructor-led' && (
                        <Menu.Item
                          onClick={() =>
                            void navigate({
                              to: '/dashboard/classes/$classId/lessons/$lessonId/evaluate',
                              params: { classId, lessonId: one.lessonId },
                              search: { students: [studentId] },
                            })
                          }
                        >
                          {evaluationWords.evaluate}
                        </Menu.Item>
                      )}
                      {/* A lesson without a limit of attempts needs no extra ones. */}
                      {may.grade && one.attemptsLeft !== null && (
                        <Menu.Item onClick={() => setExtra(about)}>{say.extra}</Menu.Item>
                      )}
                      {may.setLocks && !classDetails.ended && (
                        <Menu.Item
                          onClick={() => setDated({ classId, student: { studentId, name }, lessonId: one.lessonId })}
                        >
                          {dateWords.changeFor}
                        </Menu.Item>
                      )}
                      {may.setLocks && byHand?.locked !== true && (
                        <Menu.Item onClick={() => decide(one, true)}>{say.lock}</Menu.Item>
                      )}
                      {may.setLocks && byHand?.locked !== false && (
                        <Menu.Item onClick={() => decide(one, false)}>{say.unlock}</Menu.Item>
                      )}
                      {may.setLocks && byHand && (
                        <Menu.Item onClick={() => decide(one, undefined)}>{say.clear}</Menu.Item>
                      )}
                      {may.grade && one.completed !== null && (
                        <>
                          <Menu.Divider />
                          <Menu.Item color="red" onClick={() => setReset(about)}>
                            {say.reset}
                          </Menu.Item>
                        </>
                      )}
                    </>
                  )}
                </MenuButton>
              )}
            </li>
          )
        })}
      </ol>
      {graded && <GradeDialog attempt={graded} onClose={() => setGraded(undefined)} />}
      {extra && <ExtraDialog target={extra} onClose={() => setExtra(undefined)} />}
      {reset && <ResetDialog target={reset} onClose={() => setReset(undefined)} />}
      {reported && <ReportDialog target={reported} onClose={() => setReported(undefined)} />}
      {dated && <OverrideDialog target={dated} lessons={lessons} onClose={() => setDated(undefined)} />}
    </Card>
  )
}
