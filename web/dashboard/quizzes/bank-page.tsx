import { ActionIcon, Badge, Button, Group, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import {
  archiveQuestion,
  type ListedQuestion,
  listQuestions,
  listQuestionTags,
  type Question,
  readQuestion,
} from '../../api/operations.ts'
import { query, queryClient, useWrite } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { Filters } from '../../parts/filters.tsx'
import { BookOpen, EllipsisVertical, Plus } from '../../parts/icons.tsx'
import { MenuButton } from '../../parts/menu-button.tsx'
import { notify, notifyProblem, offerUndo } from '../../parts/notify.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Pager } from '../../parts/pager.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { only } from '../../parts/search.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { QuestionDialog } from './question-dialog.tsx'
import { quizWords } from './words.ts'

const route = getRouteApi('/signed-in/dashboard/questions/$organisation')
const { bank: say } = quizWords

/** The question that the dialog edits: a new one, an existing one, or a copy. */
type Edited = { readonly question?: Question; readonly isCopy?: boolean }

export function BankPage() {
  const { organisation } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().questions)
  const tags = useQuery(query(listQuestionTags, { organisation }))
  const [edited, setEdited] = useState<Edited>()
  const { page = 1, ...filters } = search
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const create = (
    <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setEdited({})}>
      {say.create}
    </Button>
  )
  return (
    <>
      <PageHead title={say.title} lead={say.lead(organisation)} action={create} />
      <Filters
        fields={[
          { name: 'search', label: say.search },
          { name: 'kind', label: say.kind, choices: quizWords.kinds },
          {
            name: 'tag',
            label: say.tag,
            choices: Object.fromEntries((tags.data ?? []).map(({ tag }) => [tag, tag])),
          },
          { name: 'state', label: say.state, choices: { archived: say.onlyArchived } },
        ]}
        values={filters}
        onChange={(values) => void navigate({ search: only(values) })}
      />
      <Loaded query={list}>
        {({ docs, pages, total }) =>
          docs.length === 0 ? (
            <Card>
              <Empty
                icon={BookOpen}
                title={isFiltered ? say.nothing : say.empty}
                action={isFiltered ? undefined : create}
              >
                {isFiltered ? undefined : say.emptyText}
              </Empty>
            </Card>
          ) : (
            <Card isFlush>
              <QuestionTable questions={docs} onEdit={setEdited} />
              <Pager
                page={page}
                pages={pages}
                total={total}
                onChange={(to) => void navigate({ search: only({ ...filters, page: to > 1 ? to : undefined }) })}
              />
            </Card>
          )
        }
      </Loaded>
      <QuestionDialog
        organisation={organisation}
        isOpen={edited !== undefined}
        question={edited?.question}
        isCopy={edited?.isCopy ?? false}
        onSaved={() => setEdited(undefined)}
        onClose={() => setEdited(undefined)}
      />
    </>
  )
}

interface QuestionTableProps {
  readonly questions: readonly ListedQuestion[]
  readonly onEdit: (edited: Edited) => void
}

function QuestionTable({ questions, onEdit }: QuestionTableProps) {
  const archive = useWrite(archiveQuestion, { changes: [listQuestions, listQuestionTags, readQuestion] })
  const set = (questionId: string, archived: boolean, onSuccess: () => void) =>
    archive.mutate(
      { questionId, archived },
      { onSuccess, onError: ({ message }) => notifyProblem(`${say.archiveFailed}: ${message}`) },
    )
  const open = async (questionId: string, isCopy: boolean) => {
    try {
      onEdit({ question: await queryClient.fetchQuery(query(readQuestion, { questionId })), isCopy })
    } catch (error) {
      notifyProblem((error as Error).message)
    }
  }
  return (
    <Rows label={say.title} head={[say.question, say.kind, say.tags, say.changed]} hasActions minWidth={620}>
      {questions.map(({ questionId, summary, kind, tags, changedDate, archived }) => (
        <Row
          key={questionId}
          cells={[
            <Text key="text" size="sm" lineClamp={2} style={{ overflowWrap: 'anywhere' }}>
              {summary}
            </Text>,
            quizWords.kinds[kind],
            <Group key="tags" gap={4}>
              {tags.map((tag) => (
                <Badge key={tag} color="gray" variant="light" tt="none">
                  {tag}
                </Badge>
              ))}
            </Group>,
            <Time key="changed" at={changedDate} />,
            <Group key="actions" gap={4} wrap="nowrap" justify="flex-end">
              <Button
                size="compact-sm"
                variant="default"
                aria-label={say.edit(summary)}
                onClick={() => void open(questionId, false)}
              >
                {say.edit('').trim()}
              </Button>
              <MenuButton
                button={
                  <ActionIcon variant="subtle" color="gray" aria-label={say.more(summary)}>
                    <EllipsisVertical size={16} aria-hidden />
                  </ActionIcon>
                }
              >
                {(Menu) => (
                  <>
                    <Menu.Item onClick={() => void open(questionId, true)}>{say.duplicate}</Menu.Item>
                    <Menu.Item
                      onClick={() =>
                        set(questionId, !archived, () =>
                          archived
                            ? notify(say.restored)
                            : offerUndo(say.archived, () => set(questionId, false, () => notify(say.restored))),
                        )
                      }
                    >
                      {archived ? say.restore : say.archive}
                    </Menu.Item>
                  </>
                )}
              </MenuButton>
            </Group>,
          ]}
        />
      ))}
    </Rows>
  )
}
