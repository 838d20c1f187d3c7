import { Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { Plugin } from '../../api/operations.ts'
import { appWords } from '../../parts/app-words.ts'
import { Card } from '../../parts/card.tsx'
import { Copied } from '../../parts/copied.tsx'
import { Plug, Plus } from '../../parts/icons.tsx'
import { ButtonLink, TextLink } from '../../parts/link.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { Row, Rows } from '../../parts/rows.tsx'
import { sortDocs } from '../../parts/sort-docs.ts'
import { useSort } from '../../parts/sorted.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { words } from '../../parts/words.ts'
import { consoleWords } from '../words.ts'
import { PluginStateBadge } from './state-badge.tsx'

const route = getRouteApi('/signed-in/console/plugins')
const { plugins: say, plugin: sayOne } = consoleWords
const { form: sayForm } = words

const AddButton = () => (
  <ButtonLink to="/console/plugins/new" leftSection={<Plus size={16} aria-hidden />}>
    {say.add}
  </ButtonLink>
)

const COLUMNS = {
  name: ({ name }: Plugin) => name,
  kind: ({ kind }: Plugin) => say.kinds[kind],
  created: ({ createdDate }: Plugin) => createdDate,
}

export function PluginListPage() {
  const list = useQuery(route.useLoaderData().plugins)
  const sort = useSort('')
  return (
    <>
      <PageHead title={say.title} lead={say.lead} action={<AddButton />} />
      <Loaded query={list}>
        {({ docs, pages }) => (
          <Card isFlush>
            {docs.length === 0 ? (
              <Empty icon={Plug} title={say.empty} action={<AddButton />}>
                {say.emptyText}
              </Empty>
            ) : (
              <Rows
                label={say.title}
                head={[
                  { title: sayForm.name, sort: 'name' },
                  appWords.clientId,
                  { title: say.kind, sort: 'kind' },
                  say.state,
                  { title: sayOne.registered, sort: 'created' },
                ]}
                {...(pages === 1 && { sort })}
                minWidth={720}
              >
                {(pages === 1 ? sortDocs(docs, sort.by, COLUMNS) : docs).map((plugin) => (
                  <Row
                    key={plugin.clientId}
                    cells={[
                      <>
                        <TextLink to="/console/plugins/$clientId" params={{ clientId: plugin.clientId }} fw={600}>
                          {plugin.name}
                        </TextLink>
                        <Text size="xs" c="dimmed">
                          {plugin.organisationName ?? plugin.owner}
                        </Text>
                      </>,
                      <Copied key="id" value={plugin.clientId} what={appWords.clientId} />,
                      say.kinds[plugin.kind],
                      <PluginStateBadge key="state" plugin={plugin} />,
                      <Time key="made" at={plugin.createdDate} />,
                    ]}
                  />
                ))}
              </Rows>
            )}
          </Card>
        )}
      </Loaded>
    </>
  )
}
