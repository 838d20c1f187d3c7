import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type ListedQuestion, listQuestions } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Pager } from '../../parts/pager.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Loaded } from '../../parts/states.tsx'
import { words } from '../../parts/words.ts'
import { quizWords } from './words.ts'

const { fields: say, bank } = quizWords

interface QuestionPickerProps {
  readonly organisation: string
  /** Questions that the quiz has already. */
  readonly taken: readonly string[]
  readonly onPick: (questions: readonly ListedQuestion[]) => void
  readonly onClose: () => void
}

/** Lets an author choose questions of the bank. */
export function QuestionPicker({ organisation, taken, onPick, onClose }: QuestionPickerProps) {
  const [search, setSearch] = useState<string>()
  const [page, setPage] = useState(1)
  const [picked, setPicked] = useState<readonly ListedQuestion[]>([])
  const list = useQuery({
    ...query(listQuestions, { organisation, limit: 10, page, ...(search !== undefined && { query: search }) }),
    placeholderData: keepPreviousData,
  })
  return (
    <Stack>
      <SearchField
        label={bank.search}
        value={search}
        onChange={(value) => {
          setSearch(value)
          setPage(1)
        }}
      />
      <Loaded query={list}>
        {({ docs, pages }) => (
          <Stack gap="sm">
            {docs.length === 0 && <Text c="dimmed">{search === undefined ? bank.empty : bank.nothing}</Text>}
            {docs.map((question) => (
              <Checkbox
                key={question.questionId}
                label={question.summary}
                description={[quizWords.kinds[question.kind], ...question.tags].join(' · ')}
                disabled={taken.includes(question.questionId)}
                checked={
                  taken.includes(question.questionId) || picked.some((one) => one.questionId === question.questionId)
                }
                onChange={(event) =>
                  setPicked(
                    event.currentTarget.checked
                      ? [...picked, question]
                      : picked.filter((one) => one.questionId !== question.questionId),
                  )
                }
              />
            ))}
            <Pager page={page} pages={pages} onChange={setPage} />
          </Stack>
        )}
      </Loaded>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {words.form.cancel}
        </Button>
        <Button disabled={picked.length === 0} onClick={() => onPick(picked)}>
          {say.picked(picked.length)}
        </Button>
      </Group>
    </Stack>
  )
}
