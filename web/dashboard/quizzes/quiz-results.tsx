import { Badge, Group, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type QuizResultsPage, readQuizResults } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { ClipboardList } from '../../parts/icons.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { quizWords } from './words.ts'

const { results: say } = quizWords
type Result = QuizResultsPage['docs'][number]
const percent = (part: number, whole: number): string =>
  whole === 0 ? '–' : say.share(Math.round((100 * part) / whole))

/** Shows staff how the class answered each question. */
export function QuizResults({ classId, lessonId }: { readonly classId: string; readonly lessonId: string }) {
  const [page, setPage] = useState(1)
  const results = useQuery({
    ...query(readQuizResults, { classId, lessonId, limit: 20, page }),
    placeholderData: keepPreviousData,
  })
  return (
    <Loaded query={results}>
      {({ docs, pages }) =>
        docs.length === 0 ? (
          <Card>
            <Empty icon={ClipboardList} title={say.empty}>
              {say.emptyText}
            </Empty>
          </Card>
        ) : (
          <Stack>
            <Text c="dimmed">{say.lead}</Text>
            {docs.map((result) => (
              <QuestionCard key={result.questionId} result={result} />
            ))}
            <Pager page={page} pages={pages} onChange={setPage} />
          </Stack>
        )
      }
    </Loaded>
  )
}

const QuestionCard = ({ result }: { readonly result: Result }) => (
  <Card>
    <Stack gap="sm">
      <Text fw={550} component="h2" style={{ overflowWrap: 'anywhere' }}>
        {result.text}
      </Text>
      <Group gap="xs">
        <Badge color="gray">{quizWords.kinds[result.kind]}</Badge>
        {result.toGrade > 0 && <Badge color="yellow">{say.toGrade(result.toGrade)}</Badge>}
        <Text size="sm" c="dimmed">
          {say.answered}: {result.answered} / {result.shown} · {say.correct}: {percent(result.correct, result.shown)}
          {result.meanPoints !== null &&
            ` · ${say.mean}: ${quizWords.outOf(Math.round(result.meanPoints * 100) / 100, result.maxPoints)}`}
        </Text>
      </Group>
      {result.responses.length > 0 && (
        <Rows label={say.details(result.text)} head={[say.chosen, say.count]} minWidth={280}>
          {result.responses.map(({ text, correct, count }) => (
            <Row
              key={text}
              cells={[
                <Group key="text" gap="xs">
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {text}
                  </Text>
                  {correct && <Badge color="green">{quizWords.review.correct}</Badge>}
                </Group>,
                `${count} (${percent(count, result.answered)})`,
              ]}
            />
          ))}
        </Rows>
      )}
    </Stack>
  </Card>
)
