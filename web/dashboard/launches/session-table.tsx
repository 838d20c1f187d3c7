import { Group, Text } from '@mantine/core'
import type { PackageSession } from '../../api/operations.ts'
import { TextLink } from '../../parts/link.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { Moment, sayDuration } from '../../parts/time.tsx'
import { EndSession } from './end-session.tsx'
import { PackageState } from './package-state.tsx'
import { SessionEnding, SessionStart } from './session-cells.tsx'
import { launchWords } from './words.ts'

const { staff: say } = launchWords

interface SessionTableProps {
  readonly classId: string
  readonly sessions: readonly PackageSession[]
  readonly mayEnd: boolean
  readonly isOneLesson?: boolean
}

/** Lists sessions of students with content packages. */
export const SessionTable = ({ classId, sessions, mayEnd, isOneLesson = false }: SessionTableProps) => (
  <Rows
    label={say.title}
    head={[
      say.student,
      ...(isOneLesson ? [] : [say.lesson]),
      say.reported,
      say.started,
      say.lastCall,
      say.ended,
      say.duration,
    ]}
    hasActions={mayEnd}
    minWidth={880}
  >
    {sessions.map((one) => (
      <Row
        key={one.sessionId}
        cells={[
          <TextLink
            key="student"
            to="/dashboard/classes/$classId/students/$studentId"
            params={{ classId, studentId: one.studentId }}
            size="sm"
          >
            {one.name}
          </TextLink>,
          ...(isOneLesson ? [] : [one.lessonName ?? say.removedLesson]),
          <Reported key="reported" session={one} />,
          <SessionStart key="started" {...one} />,
          <Moment key="last" at={one.lastDate} />,
          <SessionEnding key="ended" {...one} />,
          one.seconds === null ? '' : sayDuration(one.seconds),
          ...(mayEnd
            ? [
                // A session of a lesson that the class no longer has ends by itself.
                one.endedDate === null && one.lessonId !== null && (
                  <EndSession key="end" sessionId={one.sessionId} name={one.name} lesson={one.lessonName ?? ''} />
                ),
              ]
            : []),
        ]}
      />
    ))}
  </Rows>
)

const Reported = ({ session }: { readonly session: PackageSession }) => (
  <Group gap="xs">
    <PackageState reported={session} hasStarted />
    <Text size="xs" c="dimmed">
      {[
        session.progress === null ? undefined : `${launchWords.progress} ${launchWords.percent(session.progress)}`,
        session.score === null ? undefined : `${launchWords.score} ${launchWords.percent(session.score)}`,
      ]
        .filter(Boolean)
        .join(' · ')}
    </Text>
  </Group>
)
