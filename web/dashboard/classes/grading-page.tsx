import { Anchor, Button, Table, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ClipboardCheck } from 'lucide-react'
import { useState } from 'react'
import { listAwaiting } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { type AttemptToGrade, GradeDialog } from '../progress/grade-dialog.tsx'
import { dashboardWords } from '../words.ts'
import { ClassFrame } from './class-frame.tsx'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/grading')
const { grading: say } = dashboardWords
const PAGE = 25

export const GradingPage = () => (
  <ClassFrame title={dashboardWords.class.grading} lead={say.lead}>
    {({ classId }) => <Queue classId={classId} />}
  </ClassFrame>
)

function Queue({ classId }: { readonly classId: string }) {
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const waiting = useQuery(query(listAwaiting, { classId, limit: PAGE, page }))
  const [graded, setGraded] = useState<AttemptToGrade>()
  return (
    <>
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
              <Table.ScrollContainer minWidth={480} type="native" tabIndex={0}>
                <Table aria-label={dashboardWords.class.grading} horizontalSpacing={20}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>{say.student}</Table.Th>
                      <Table.Th>{say.lesson}</Table.Th>
                      <Table.Th>{say.finished}</Table.Th>
                      <Table.Th>
                        <VisuallyHidden>{say.grade}</VisuallyHidden>
                      </Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {docs.map((one) => (
                      <Table.Tr key={one.lessonResultId}>
                        <Table.Td>
                          <Anchor
                            size="sm"
                            renderRoot={(props) => (
                              <Link
                                to="/dashboard/classes/$classId/students/$studentId"
                                params={{ classId, studentId: one.studentId }}
                                {...props}
                              />
                            )}
                          >
                            {one.name || one.handle}
                          </Anchor>
                        </Table.Td>
                        <Table.Td>{one.lessonName}</Table.Td>
                        <Table.Td>
                          <Time at={one.completed} />
                        </Table.Td>
                        <Table.Td ta="right">
                          <Button
                            size="xs"
                            onClick={() => setGraded({ ...one, name: one.name || one.handle, isFirst: true })}
                          >
                            <span aria-hidden>{say.grade}</span>
                            <VisuallyHidden>{say.gradeOf(one.name || one.handle, one.lessonName)}</VisuallyHidden>
                          </Button>
                        </Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
              <Pager
                page={page}
                pages={pages}
                onChange={(to) => void navigate({ search: to > 1 ? { page: to } : {} })}
              />
            </Card>
          )
        }
      </Loaded>
      <GradeDialog attempt={graded} onClose={() => setGraded(undefined)} />
    </>
  )
}
