import { Alert, Button, Checkbox, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import {
  type Candidates,
  findCandidates,
  listPlannerSearches,
  type PlannerSearch,
  readPlannerSearch,
} from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { Card } from '../parts/card.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { CircleAlert, UserSearch } from '../parts/icons.tsx'
import { TextLink } from '../parts/link.tsx'
import { PageHead } from '../parts/page-head.tsx'
import { only } from '../parts/search.ts'
import { Empty, Loaded, Problem } from '../parts/states.tsx'
import { CandidateList, readCompared } from './candidates.tsx'
import { SavePlanForm } from './save-form.tsx'
import { plannerWords } from './words.ts'

const { search: say } = plannerWords
const route = getRouteApi('/signed-in/planner/searches/$searchId')

export function SearchPage() {
  const found = useQuery(route.useLoaderData().search)
  return (
    <>
      <PageHead
        title={say.title}
        lead={found.data?.text}
        above={
          <TextLink to="/planner" size="sm">
            {say.back}
          </TextLink>
        }
      />
      <Loaded query={found}>
        {(search) => (
          <Stack gap="xl">
            <Capabilities search={search} />
            {search.candidates && <FoundCandidates candidates={search.candidates} />}
          </Stack>
        )}
      </Loaded>
    </>
  )
}

/** Lists the capabilities that each engine suggested for the mission. At first, all are selected. */
function Capabilities({ search: { searchId, engines, candidates } }: { readonly search: PlannerSearch }) {
  const all = engines.flatMap(({ capabilities }) => capabilities.map(({ capabilityId }) => capabilityId))
  const [chosen, setChosen] = useState<string[]>(candidates?.capabilityIds ?? all)
  const find = useWrite(findCandidates, { changes: [readPlannerSearch, listPlannerSearches] })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    find.mutate({ searchId, capabilityIds: chosen })
  }
  return (
    <Card title={say.capabilities}>
      <form onSubmit={submit}>
        <Stack gap="md">
          {find.error && <Problem title={say.findFailed} error={find.error} />}
          <Text size="sm" c="dimmed">
            {say.capabilitiesText}
          </Text>
          <SimpleGrid cols={{ base: 1, md: Math.min(2, engines.length) }} spacing="lg">
            {engines.map((engine) => (
              <Stack key={engine.clientId} gap="sm">
                {engine.status === 'failed' ? (
                  <Failed name={engine.name} problem={engine.problem} />
                ) : (
                  <Checkbox.Group label={<Title order={3}>{engine.name}</Title>} value={chosen} onChange={setChosen}>
                    <Stack gap="xs" mt="xs">
                      {engine.capabilities.length === 0 && <Text size="sm">{say.noCapabilities}</Text>}
                      {engine.capabilities.map(({ capabilityId, name, description }) => (
                        <Checkbox key={capabilityId} value={capabilityId} label={name} description={description} />
                      ))}
                    </Stack>
                  </Checkbox.Group>
                )}
              </Stack>
            ))}
          </SimpleGrid>
          {all.length > 0 && (
            <Group>
              <Button type="submit" loading={find.isPending} disabled={chosen.length === 0}>
                {say.find}
              </Button>
            </Group>
          )}
        </Stack>
      </form>
    </Card>
  )
}

const Failed = ({ name, problem }: { readonly name: string; readonly problem: string | null }) => (
  <Alert color="yellow" icon={<CircleAlert size={18} aria-hidden />}>
    {say.failed(name, problem)}
  </Alert>
)

function FoundCandidates({ candidates: found }: { readonly candidates: Candidates }) {
  const { searchId, engines, candidates } = found
  const { compare } = route.useSearch()
  const navigate = route.useNavigate()
  const [isSaving, setSaving] = useState(false)
  const compared = readCompared(compare, candidates)
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <div>
          <Title order={2}>{say.candidates}</Title>
          <Text c="dimmed">{say.found(candidates.length)}</Text>
        </div>
        {candidates.length > 0 && (
          <Button variant="default" onClick={() => setSaving(true)}>
            {say.save}
          </Button>
        )}
      </Group>
      {engines
        .filter(({ status }) => status === 'failed')
        .map(({ clientId, name, problem }) => (
          <Failed key={clientId} name={name} problem={problem} />
        ))}
      {candidates.length === 0 ? (
        <Card>
          <Empty icon={UserSearch} title={say.nobody}>
            {say.nobodyText}
          </Empty>
        </Card>
      ) : (
        <CandidateList
          candidates={candidates}
          compared={compared}
          onCompare={(handles) =>
            void navigate({ search: only({ compare: handles }), replace: true, resetScroll: false })
          }
        />
      )}
      {engines
        .filter(({ leftOut }) => leftOut > 0)
        .map(({ clientId, name, leftOut }) => (
          <Text key={clientId} size="sm" c="dimmed">
            {say.leftOut(name, leftOut)}
          </Text>
        ))}
      <Dialog isOpen={isSaving} onClose={() => setSaving(false)} title={plannerWords.save.title}>
        <SavePlanForm
          searchId={searchId}
          count={candidates.length}
          compared={compared}
          onClose={() => setSaving(false)}
        />
      </Dialog>
    </Stack>
  )
}
