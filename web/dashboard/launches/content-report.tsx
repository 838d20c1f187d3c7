import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type PackageLesson, readPackageLesson } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { Row, Rows } from '../../parts/rows.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Moment, sayDuration } from '../../parts/time.tsx'
import { EndSession } from './end-session.tsx'
import { PackageState, sayMoveOn } from './package-state.tsx'
import type { ReportTarget } from './report-target.ts'
import { SessionEnding, SessionStart } from './session-cells.tsx'
import { LIVE_MS } from './use-changes.ts'
import { launchWords } from './words.ts'

const WaiveDialog = onDemand(async () => (await import('./waive-dialog.tsx')).WaiveDialog)

const { staff: say } = launchWords

/** Shows staff what the content of a lesson has reported for a student, and lets instructors waive the lesson. */
export function ContentReport(props: ReportTarget) {
  const { classId, studentId, lessonId } = props
  const report = useQuery({
    ...query(readPackageLesson, { classId, lessonId, studentId }),
    refetchInterval: LIVE_MS,
  })
  return <Loaded query={report}>{(found) => <Report {...props} report={found} />}</Loaded>
}

function Report({ report, ...target }: ReportTarget & { readonly report: PackageLesson }) {
  const [isWaiving, setWaiving] = useState(false)
  const takes = sayMoveOn(report)
  return (
    <Stack>
      <Group gap="xs">
        <PackageState reported={report} hasStarted={report.sessions.length > 0} />
        {report.waiveReason !== null && <Text size="sm">{launchWords.waivedBecause(report.waiveReason)}</Text>}
      </Group>
      <Facts>
        {takes !== undefined && <Fact name={launchWords.takes}>{takes}</Fact>}
        {report.progress !== null && <Fact name={launchWords.progress}>{launchWords.percent(report.progress)}</Fact>}
        {report.score !== null && <Fact name={launchWords.score}>{launchWords.percent(report.score)}</Fact>}
      </Facts>
      {report.kind === 'unit' && <Sessions {...target} sessions={report.sessions} />}
      {target.mayGrade && report.kind === 'unit' && !report.satisfied && !report.waived && (
        <Group>
          <Button size="xs" variant="default" onClick={() => setWaiving(true)}>
            {say.waive}
          </Button>
        </Group>
      )}
      {isWaiving && <WaiveDialog {...target} onClose={() => setWaiving(false)} />}
    </Stack>
  )
}

function Sessions({ sessions, mayGrade, name, lesson }: ReportTarget & Pick<PackageLesson, 'sessions'>) {
  if (sessions.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {say.noSessions}
      </Text>
    )
  const hasActions = mayGrade && sessions.some(({ endedDate }) => endedDate === null)
  return (
    <Rows
      label={say.title}
      head={[say.started, say.lastCall, say.ended, say.duration]}
      hasActions={hasActions}
      minWidth={520}
    >
      {sessions.map((one) => (
        <Row
          key={one.sessionId}
          cells={[
            <SessionStart key="started" {...one} />,
            <Moment key="last" at={one.lastDate} />,
            <SessionEnding key="ended" {...one} />,
            one.seconds === null ? '' : sayDuration(one.seconds),
            ...(hasActions
              ? [
                  one.endedDate === null && (
                    <EndSession key="end" sessionId={one.sessionId} name={name} lesson={lesson} />
                  ),
                ]
              : []),
          ]}
        />
      ))}
    </Rows>
  )
}
