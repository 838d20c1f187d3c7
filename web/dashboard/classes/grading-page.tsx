import { Button, Group, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import type { AwaitingPage } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { ClipboardCheck } from '../../parts/icons.tsx'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { SelectionBar, useSelection } from '../../parts/selection.tsx'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { LateBadge } from '../dates/lesson-dates.tsx'
import { EvaluateMenu } from '../evaluations/evaluate-menu.tsx'
import { type AttemptToGrade, GradeDialog } from '../progress/grade-dialog.tsx'
import { dashboardWords } from '../words.ts'
import { BulkGradeDialog } from './bulk-grade.tsx'
import { useClass } from './class-frame.tsx'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/grading')
const { grading: say } = dashboardWords

export function GradingPage() {
  const { classId, may } = useClass()
  const { page = 1, sort } = route.useSearch()
  const navigate = route.useNavigate()
  const waiting = useQuery(route.useLoaderData().waiting)
  const [graded, setGraded] = useState<AttemptToGrade>()
  return (
    <>
      <PageHead
        title={dashboardWords.class.grading}
        lead={say.lead}
        action={may.evaluate && <EvaluateMenu classId={classId} />}
      />
      <Loaded query={waiting}>
        {({ docs, pages }) =>
          docs.length === 0 ? (
            <Card>
              <Empty icon={ClipboardCheck} title={say.empty}>
                {say.emptyText}
              </Empty>
            </Card>
          ) : (
            <Card isFlush>
              <GradingTable attempts={docs} onGrade={setGraded} />
              <Pager
                page={page}
                pages={pages}
                onChange={(to) => void navigate({ search: only({ sort, page: to > 1 ? to : undefined }) })}
              />
            </Card>
          )
        }
      </Loaded>
      <GradeDialog attempt={graded} onClose={() => setGraded(undefined)} />
    </>
  )
}

interface GradingTableProps {
  readonly attempts: AwaitingPage['docs']
  readonly onGrade: (attempt: AttemptToGrade) => void
}

const gradeLabel = ({ name, lessonName }: AttemptToGrade) => (
  <>
    <span aria-hidden>{say.grade}</span>
    <VisuallyHidden>{say.gradeOf(name, lessonName)}</VisuallyHidden>
  </>
)

function GradingTable({ attempts, onGrade }: GradingTableProps) {
  const [isBulk, setBulk] = useState(false)
  // The answers of a quiz are graded one by one, on a page of their own.
  const isQuiz = attempts.map(({ kind }) => kind === 'quiz')
  const selection = useSelection(attempts.filter((_, i) => !isQuiz[i]).map(({ lessonResultId }) => lessonResultId))
  const toGrade = attempts.map((one): AttemptToGrade => ({ ...one, name: one.name || one.handle, isFirst: true }))
  return (
    <>
      <SelectionBar selection={selection}>
        <Button size="compact-sm" variant="default" onClick={() => setBulk(true)}>
          {say.gradeAll(selection.chosen.length)}
        </Button>
      </SelectionBar>
      <Rows
        label={dashboardWords.class.grading}
        head={[
          { title: say.student, sort: 'student' },
          { title: say.lesson, sort: 'lesson' },
          { title: say.finished, sort: 'completed' },
        ]}
        hasActions
        sort={useSort('completed')}
        selection={selection}
        minWidth={480}
      >
        {toGrade.map((one, i) => (
          <Row
            key={one.lessonResultId}
            {...(!isQuiz[i] && { select: { id: one.lessonResultId, name: `${one.name}, ${one.lessonName}` } })}
            cells={[
              <TextLink
                key="student"
                to="/dashboard/classes/$classId/students/$studentId"
                params={{ classId: one.classId, studentId: one.studentId }}
                size="sm"
              >
                {one.name}
              </TextLink>,
              one.lessonName,
              <Group key="finished" gap="xs">
                <Time at={attempts[i]!.completed} />
                <LateBadge late={attempts[i]!.late} />
              </Group>,
              isQuiz[i] ? (
                <ButtonLink
                  key="grade"
                  size="xs"
                  to="/dashboard/classes/$classId/quizzes/$lessonResultId"
                  params={{ classId: one.classId, lessonResultId: one.lessonResultId }}
                >
                  {gradeLabel(one)}
                </ButtonLink>
              ) : (
                <Button key="grade" size="xs" onClick={() => onGrade(one)}>
                  {gradeLabel(one)}
                </Button>
              ),
            ]}
          />
        ))}
      </Rows>
      <BulkGradeDialog
        isOpen={isBulk}
        attempts={toGrade.filter(({ lessonResultId }) => selection.has(lessonResultId))}
        onClose={() => setBulk(false)}
      />
    </>
  )
}
