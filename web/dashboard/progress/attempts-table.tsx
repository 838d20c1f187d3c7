import { List, Stack, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listAttempts, listGradeChanges } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Pager } from '../../parts/pager.tsx'
import { ScrollBox } from '../../parts/scroll-box.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { LateBadge } from '../dates/lesson-dates.tsx'
import { dashboardWords } from '../words.ts'
import { pageIn, sayReported } from './reported.ts'

const { mine: say } = dashboardWords
const LIMIT = 25

interface AttemptsTableProps {
  readonly classId: string
  readonly lessonId: string
}

/** Lists the student's attempts at a lesson, and what instructors changed in them, with the reasons. */
export function AttemptsTable(names: AttemptsTableProps) {
  const [page, setPage] = useState(1)
  const attempts = useQuery({ ...query(listAttempts, { ...names, limit: LIMIT, page }), select: pageIn })
  const changes = useQuery(query(listGradeChanges, names))
  return (
    <Stack>
      <Loaded query={attempts}>
        {({ docs, total, pages }) => (
          <>
            <ScrollBox minWidth={420}>
              <Table>
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>{say.number}</Table.Th>
                    <Table.Th>{say.started}</Table.Th>
                    <Table.Th>{say.finished}</Table.Th>
                    <Table.Th>{say.passed}</Table.Th>
                    <Table.Th>{say.score}</Table.Th>
                    <Table.Th>{dashboardWords.reported.title}</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {docs.map(({ lessonResultId, started, completed, pass, score, late, reported }, i) => (
                    <Table.Tr key={lessonResultId}>
                      <Table.Td>{total - (page - 1) * LIMIT - i}</Table.Td>
                      <Table.Td>
                        <Moment at={started} />
                      </Table.Td>
                      <Table.Td>
                        {completed === null ? say.open : <Moment at={completed} />} <LateBadge late={late} />
                      </Table.Td>
                      <Table.Td>{pass ? say.yes : say.no}</Table.Td>
                      <Table.Td>{score ?? words.time.none}</Table.Td>
                      <Table.Td>{sayReported(reported) ?? words.time.none}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </ScrollBox>
            <Pager page={page} pages={pages} total={total} onChange={setPage} />
          </>
        )}
      </Loaded>
      {changes.data && changes.data.length > 0 && (
        <div>
          <Text size="sm" fw={550} mb={4}>
            {say.changes}
          </Text>
          <List size="sm">
            {changes.data.map(({ change, byName, reason, changed }) => (
              <List.Item key={`${change}-${changed}`}>
                {say.changeBy(change, byName)}, <Moment at={changed} />
                {reason !== '' && (
                  <Text size="sm" c="dimmed">
                    {reason}
                  </Text>
                )}
              </List.Item>
            ))}
          </List>
        </div>
      )}
    </Stack>
  )
}
