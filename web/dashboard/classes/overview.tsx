import { Alert, Badge, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { type ClassDetails, type Gradebook, readGradebook, watchClass } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Flag, type IconType, Moon, Pause, Play, Radio, Users, WifiOff } from '../../parts/icons.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { EvaluateMenu } from '../evaluations/evaluate-menu.tsx'
import { RESULT_LOOKS } from '../progress/result-badge.tsx'
import { dashboardWords } from '../words.ts'
import { ClassLocks } from './class-locks.tsx'
import { cellsOf } from './gradebook-cells.ts'
import classes from './overview.module.css'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/')
const { overview } = dashboardWords

const NONE: Gradebook['lessons'] = []

/** Shows the results of a class, and who is working now. */
export function Overview({ classDetails }: { readonly classDetails: ClassDetails }) {
  const { classId, joinCode } = classDetails
  const book = useQuery(route.useLoaderData().gradebook)
  return (
    <Stack gap="lg">
      {!classDetails.may.changeRoster && <Alert>{dashboardWords.class.readOnly}</Alert>}
      {classDetails.may.evaluate && (
        <Group justify="flex-end">
          <EvaluateMenu classId={classId} />
        </Group>
      )}
      <Live classId={classId} lessons={book.data?.lessons ?? NONE} />
      <Loaded query={book} lines={8}>
        {(found) =>
          found.docs.length === 0 ? (
            <Card>
              <Empty icon={Users} title={overview.empty}>
                {overview.emptyText}
              </Empty>
            </Card>
          ) : (
            <Card title={overview.matrix} action={<Text size="sm">{overview.students(found.total)}</Text>} isFlush>
              <Text size="sm" c="dimmed" px={20} pb="sm">
                {found.total > found.docs.length
                  ? words.states.moreThan(found.docs.length, found.total)
                  : overview.matrixText}
              </Text>
              <Matrix book={found} />
            </Card>
          )
        }
      </Loaded>
      {book.data && <ClassLocks classDetails={classDetails} lessons={book.data.lessons} />}
      {joinCode !== null && (
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {overview.joinCode}
          </Text>
          <Copied value={joinCode} what={overview.code} />
        </Group>
      )}
    </Stack>
  )
}

/** A table of students and lessons, coloured by result. Each cell also contains the result as a word, and the score. */
const Matrix = ({ book: { classId, lessons, docs } }: { readonly book: Gradebook }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section className={`${classes.scroll} gs-scroll`} aria-label={overview.matrix} tabIndex={0}>
    <table className={classes.matrix}>
      <thead>
        <tr>
          <th scope="col" className={classes.corner}>
            {overview.student}
          </th>
          {lessons.map(({ lessonId, name, parentId }) => (
            <th key={lessonId} scope="col" {...(parentId !== null && { 'data-step': true })}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {docs.map((student) => (
          <tr key={student.studentId}>
            <th scope="row">
              <Link
                to="/dashboard/classes/$classId/students/$studentId"
                params={{ classId, studentId: student.studentId }}
                className={classes.link}
              >
                {student.name || student.handle}
              </Link>
              <Text component="span" size="xs" c="dimmed" display="block" fw={400}>
                {student.handle}
              </Text>
            </th>
            {cellsOf(student, lessons).map(({ result, score }, i) => {
              const Icon = RESULT_LOOKS[result].icon
              return (
                <td key={lessons[i]!.lessonId}>
                  <span className={classes.cell} data-result={result}>
                    <Icon size={15} aria-hidden />
                    {score}
                    <VisuallyHidden>{dashboardWords.results[result]}</VisuallyHidden>
                  </span>
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
    <ul className={classes.legend}>
      {(['PASS', 'FAIL', 'INCOMPLETE', 'IN PROGRESS', 'NOT STARTED'] as const).map((result) => {
        const Icon = RESULT_LOOKS[result].icon
        return (
          <li key={result}>
            <span className={classes.cell} data-result={result} data-small>
              <Icon size={13} aria-hidden />
            </span>
            {dashboardWords.results[result]}
          </li>
        )
      })}
    </ul>
  </section>
)

interface StudentActivity {
  readonly studentId: string
  readonly name: string
  readonly handle: string
  readonly lessonId: string | null
  readonly state: string | null
  readonly result: string | null
  readonly changedDate: string | null
}

const STATES = [
  { state: 'in progress', color: 'green', icon: Play },
  { state: 'idle', color: 'yellow', icon: Moon },
  { state: 'paused', color: 'gray', icon: Pause },
] as const
/**
 * Open attempts are shown if they changed within this time. After a day without a change, probably nobody is working on
 * an attempt.
 */
const RECENT_MS = 86_400_000
/** Completed attempts are shown for this time. */
const FINISHED_MS = 3_600_000
/** Delay in milliseconds before the results are read again, so that many changes lead to only one read. */
const CALM_MS = 1000

const isWithin = ({ changedDate }: StudentActivity, ms: number): boolean =>
  changedDate !== null && Date.now() - Date.parse(changedDate) < ms

/** Shows what students are doing now, from a live stream. Each change also reloads the table of results. */
function Live({ classId, lessons }: { readonly classId: string; readonly lessons: Gradebook['lessons'] }) {
  const client = useQueryClient()
  const [students, setStudents] = useState<readonly StudentActivity[]>([])
  const [isConnected, setConnected] = useState(true)
  const [isRemoved, setRemoved] = useState(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const readAgain = () => {
      timer = undefined
      void client.invalidateQueries({ queryKey: [readGradebook.operationName] })
    }
    const replace = ({ students: all }: { students?: readonly StudentActivity[] }) => {
      if (!all) return
      setStudents(all)
      readAgain()
    }
    const end = watchClass(
      { classId },
      {
        ready: ({ students: all }) => all && setStudents(all),
        reset: replace,
        change: (one) => {
          // Replace the entry in place, so that nothing moves under the pointer.
          setStudents((before) =>
            before.some(({ studentId }) => studentId === one.studentId)
              ? before.map((other) => (other.studentId === one.studentId ? one : other))
              : [...before, one],
          )
          timer ??= setTimeout(readAgain, CALM_MS)
        },
        removed: () => {
          setRemoved(true)
          end()
        },
      },
      setConnected,
    )
    return () => {
      clearTimeout(timer)
      end()
    }
  }, [classId, client])
  const finished = students.filter((one) => one.state === 'completed' && isWithin(one, FINISHED_MS))
  const groups = STATES.map((look) => ({
    ...look,
    students: students.filter((one) => one.state === look.state && isWithin(one, RECENT_MS)),
  }))
  const nameOf = (lessonId: string | null) => lessons.find((one) => one.lessonId === lessonId)?.name
  return (
    <Card
      title={overview.now}
      action={
        isConnected && !isRemoved ? (
          <Badge color="green" leftSection={<Radio size={13} aria-hidden />}>
            {overview.live}
          </Badge>
        ) : (
          <Badge color="yellow" leftSection={<WifiOff size={13} aria-hidden />}>
            {isRemoved ? dashboardWords.class.removed : words.states.lost}
          </Badge>
        )
      }
    >
      <Stack gap="md" aria-live="polite">
        {groups.every((one) => one.students.length === 0) && (
          <Text size="sm" c="dimmed">
            {overview.nobody}
          </Text>
        )}
        {groups
          .filter((one) => one.students.length > 0)
          .map(({ state, color, icon, students: own }) => (
            <People
              key={state}
              classId={classId}
              label={overview.states[state]!}
              {...{ color, icon, nameOf }}
              people={own}
            />
          ))}
        {finished.length > 0 && (
          <People
            classId={classId}
            label={dashboardWords.live.finished}
            color="sky"
            icon={Flag}
            nameOf={nameOf}
            people={finished}
          />
        )}
      </Stack>
    </Card>
  )
}

interface PeopleProps {
  readonly classId: string
  readonly label: string
  readonly color: string
  readonly icon: IconType
  readonly nameOf: (lessonId: string | null) => string | undefined
  readonly people: readonly StudentActivity[]
}

const People = ({ classId, label, color, icon: Icon, nameOf, people }: PeopleProps) => (
  <div>
    <Badge color={color} leftSection={<Icon size={13} aria-hidden />} mb={6}>
      {label}
    </Badge>
    <ul className={classes.people}>
      {people.map((one) => (
        // The key contains the time of the change, so a change creates a new element, which the style sheet highlights
        // briefly.
        <li key={`${one.studentId}-${one.changedDate}`} className={classes.person}>
          <Link
            to="/dashboard/classes/$classId/students/$studentId"
            params={{ classId, studentId: one.studentId }}
            className={classes.link}
          >
            {one.name || one.handle}
          </Link>
          <Text size="xs" c="dimmed">
            {nameOf(one.lessonId) ?? ''} <Time at={one.changedDate} />
          </Text>
        </li>
      ))}
    </ul>
  </div>
)
