import { Button, Checkbox, Group, Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { listPlannerSearches, type PlannerEngine, startPlannerSearch } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Card } from '../parts/card.tsx'
import { Compass } from '../parts/icons.tsx'
import { TextLink } from '../parts/link.tsx'
import { useOrganisationNames } from '../parts/organisation-names.ts'
import { PageHead } from '../parts/page-head.tsx'
import { Pager } from '../parts/pager.tsx'
import { Row, Rows } from '../parts/rows.tsx'
import { only } from '../parts/search.ts'
import { Empty, Loaded, Problem } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useUnsaved } from '../parts/unsaved.tsx'
import { plannerWords } from './words.ts'

const { ask: say } = plannerWords
const ORDER = ['label', 'input', 'description', 'error'] as const
const MOST_ENGINES = 5
const route = getRouteApi('/signed-in/planner')

export function AskPage() {
  const engines = useQuery(route.useLoaderData().engines)
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      <Stack gap="lg">
        <Loaded query={engines}>
          {(found) => (
            <Card maw={760}>
              {found.length === 0 ? (
                <Empty icon={Compass} title={say.noEngines}>
                  {say.noEnginesText}
                </Empty>
              ) : (
                <AskForm engines={found} />
              )}
            </Card>
          )}
        </Loaded>
        <Searches />
      </Stack>
    </>
  )
}

function AskForm({ engines }: { readonly engines: readonly PlannerEngine[] }) {
  const navigate = useNavigate()
  const start = useWrite(startPlannerSearch, {
    changes: [listPlannerSearches],
    onDone: ({ searchId }) =>
      void navigate({ to: '/planner/searches/$searchId', params: { searchId }, ignoreBlocker: true }),
  })
  const all = [...new Set(engines.flatMap(({ organisations }) => organisations))].sort()
  const nameOfOrganisation = useOrganisationNames(all)
  const form = useForm({
    initialValues: {
      text: '',
      engines: engines.slice(0, MOST_ENGINES).map(({ clientId }) => clientId),
      organisations: all,
    },
    validate: {
      text: (value) => (value.trim() === '' ? say.missingText : null),
      engines: (value) => (value.length === 0 ? say.missingEngine : value.length > MOST_ENGINES ? say.tooMany : null),
    },
  })
  useUnsaved(() => form.isDirty('text'))
  return (
    <form
      noValidate
      onSubmit={form.onSubmit(({ text, engines, organisations }) =>
        start.mutate({
          text: text.trim(),
          engines,
          // Leave the field out if all organisations are chosen: the platform then searches all.
          ...(organisations.length > 0 && organisations.length < all.length && { organisations }),
        }),
      )}
    >
      <Stack gap="lg">
        {start.error && <Problem title={say.goFailed} error={start.error} />}
        <Textarea
          label={say.text}
          description={say.textHelp}
          inputWrapperOrder={[...ORDER]}
          placeholder={say.placeholder}
          maxLength={2000}
          autosize
          minRows={3}
          {...form.getInputProps('text')}
        />
        <Checkbox.Group label={say.engines} description={say.enginesHelp} {...form.getInputProps('engines')}>
          <Stack gap="xs" mt="xs">
            {engines.map(({ clientId, name, description }) => (
              <Checkbox key={clientId} value={clientId} label={name} description={description} />
            ))}
          </Stack>
        </Checkbox.Group>
        {all.length > 1 && (
          <Checkbox.Group label={say.organisations} {...form.getInputProps('organisations')}>
            <Group gap="lg" mt={4}>
              {all.map((key) => (
                <Checkbox key={key} value={key} label={nameOfOrganisation(key)} />
              ))}
            </Group>
          </Checkbox.Group>
        )}
        <Group>
          <Button type="submit" loading={start.isPending}>
            {say.go}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function Searches() {
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(route.useLoaderData().searches)
  return (
    <Loaded query={list}>
      {({ docs, pages, total }) =>
        docs.length > 0 && (
          <Card title={say.before} isFlush>
            <Rows label={say.before} head={[say.mission, say.asked, say.when]} minWidth={480}>
              {docs.map(({ searchId, text, engines, createdDate }) => (
                <Row
                  key={searchId}
                  cells={[
                    <TextLink key="text" to="/planner/searches/$searchId" params={{ searchId }} lineClamp={2}>
                      {text}
                    </TextLink>,
                    <Text key="engines" size="sm">
                      {engines.map(({ name }) => name).join(', ')}
                    </Text>,
                    <Time key="when" at={createdDate} />,
                  ]}
                />
              ))}
            </Rows>
            <Pager
              page={page}
              pages={pages}
              total={total}
              onChange={(next) => void navigate({ search: only({ page: next > 1 ? next : undefined }) })}
            />
          </Card>
        )
      }
    </Loaded>
  )
}
