import { Badge, Group, Stack, Text, VisuallyHidden } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Radio, Users, WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type ClassDetails, type Gradebook, readGradebook, watchClass } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { Card } from '../parts/card.tsx'
import { Copied } from '../parts/copied.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { RESULT_LOOKS } from '../progress/result-badge.tsx'
import { words } from '../words/words.ts'
import classes from './overview.module.css'

const { overview } = words
/** As many as one answer has. */
const SHOWN = 100

/** Who stands where, and who is working now. */
export function Overview({ of: { classId, joinCode } }: { readonly of: ClassDetails }) {
  const book = useQuery(query(readGradebook, { classId, limit: SHOWN }))
  return (
    <Stack gap="lg">
      <Live classId={classId} />
      <Loaded of={book} lines={8}>
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
                {found.total > SHOWN ? words.states.moreThan(SHOWN, found.total) : overview.matrixText}
              </Text>
              <Matrix book={found} />
            </Card>
          )
        }
      </Loaded>
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

/** Students × lessons, coloured by result; the word and the score stand in each cell for those who do not see the colour. */
const Matrix = ({ book: { lessons, docs } }: { readonly book: Gradebook }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section className={classes.scroll} aria-label={overview.matrix} tabIndex={0}>
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
        {docs.map(({ studentId, name, handle, lessons: standings }) => (
          <tr key={studentId}>
            <th scope="row">
              {name || handle}
              <Text component="span" size="xs" c="dimmed" display="block" fw={400}>
                {handle}
              </Text>
            </th>
            {lessons.map(({ lessonId }) => {
              const standing = standings.find((one) => one.lessonId === lessonId)
              const result = standing?.result ?? 'NOT STARTED'
              const Icon = RESULT_LOOKS[result].icon
              return (
                <td key={lessonId}>
                  <span className={classes.cell} data-result={result}>
                    <Icon size={15} aria-hidden />
                    {standing?.score ?? ''}
                    <VisuallyHidden>{words.results[result]}</VisuallyHidden>
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
            {words.results[result]}
          </li>
        )
      })}
    </ul>
  </section>
)

interface Working {
  readonly studentId: string
  readonly name: string
  readonly handle: string
  readonly state: string | null
  readonly changedDate: string | null
}

const isWorking = ({ state }: Working): boolean => state === 'in progress' || state === 'idle' || state === 'paused'
const STATE_COLORS: Record<string, string> = { 'in progress': 'green', idle: 'yellow', paused: 'gray' }
/** An attempt that nobody has touched for a day is open, but nobody works on it now. */
const RECENT_MS = 86_400_000

/** Follows the class: rows change in place, and the matrix is read again. */
function Live({ classId }: { readonly classId: string }) {
  const client = useQueryClient()
  const [students, setStudents] = useState<readonly Working[]>([])
  const [isConnected, setConnected] = useState(true)
  useEffect(() => {
    const replace = ({ students: all }: { students?: readonly Working[] }) => all && setStudents(all)
    return watchClass(
      { classId },
      {
        ready: replace,
        reset: replace,
        change: (one) => {
          setStudents((before) => [one, ...before.filter(({ studentId }) => studentId !== one.studentId)])
          void client.invalidateQueries({ queryKey: [readGradebook.operationName] })
        },
      },
      setConnected,
    )
  }, [classId, client])
  const now = students.filter(
    (one) => isWorking(one) && one.changedDate !== null && Date.now() - Date.parse(one.changedDate) < RECENT_MS,
  )
  return (
    <Card
      title={overview.now}
      action={
        isConnected ? (
          <Badge color="green" leftSection={<Radio size={13} aria-hidden />}>
            {overview.live}
          </Badge>
        ) : (
          <Badge color="yellow" leftSection={<WifiOff size={13} aria-hidden />}>
            {overview.lost}
          </Badge>
        )
      }
    >
      <div aria-live="polite">
        {now.length === 0 ? (
          <Text size="sm" c="dimmed">
            {overview.nobody}
          </Text>
        ) : (
          <Group gap="sm">
            {now.map((one) => (
              <Group key={one.studentId} gap={8} className={classes.person}>
                <Text size="sm" fw={550}>
                  {one.name || one.handle}
                </Text>
                <Badge color={STATE_COLORS[one.state!] ?? 'gray'}>{overview.states[one.state!]}</Badge>
                <Text size="xs" c="dimmed">
                  <Time at={one.changedDate} />
                </Text>
              </Group>
            ))}
          </Group>
        )}
      </div>
    </Card>
  )
}
