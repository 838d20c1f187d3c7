import { Anchor, Button, Table, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { ClipboardCheck } from 'lucide-react'
import { useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { type AttemptToGrade, GradeDialog } from '../progress/grade-dialog.tsx'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/grading')
const { grading: say } = dashboardWords

export function GradingPage() {
  const { classId } = useClass()
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const waiting = useQuery(route.useLoaderData().waiting)
  const [graded, setGraded] = useState<AttemptToGrade>()
  return (
    <>
      <PageHead title={dashboardWords.class.grading} lead={say.lead} />
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
