import { Badge, Button, Group, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useHere } from '../api/here.ts'
import { type Class, joinClass, listClasses } from '../api/operations.ts'
import { useWrite } from '../api/query.ts'
import { GraduationCap } from '../parts/icons.tsx'
import { InvitationBanner } from '../parts/invitation-banner.tsx'
import { notify } from '../parts/notify.tsx'
import { onDemand } from '../parts/on-demand.ts'
import { PageHead } from '../parts/page-head.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Loaded, Problem } from '../parts/states.tsx'
import { useUnsaved } from '../parts/unsaved.tsx'
import { AgendaShown } from './calendar/agenda-shown.tsx'
import { Managed } from './courses/managed.tsx'
import { NewCourse } from './courses/new-course.tsx'
import classes from './tile.module.css'
import { dashboardWords } from './words.ts'

const route = getRouteApi('/signed-in/dashboard')
/** Loaded only for owners and developers, after the page is shown. */
const OwnOrganisations = onDemand(async () => (await import('./own-organisations.tsx')).OwnOrganisations)
/** Loaded only for people who cannot create courses, after the page is shown. */
const AskOwner = onDemand(async () => (await import('./courses/ask-owner.tsx')).AskOwner)

export function ClassListPage() {
  const { classes: classList, managedCourses, agenda } = route.useLoaderData()
  const { page = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const list = useQuery(classList)
  const ownAgenda = useQuery(agenda)
  const { person } = useHere()
  const mayCreate = person?.may.createCourse ?? false
  const manages = (useQuery(managedCourses).data?.total ?? 0) > 0
  return (
    <>
      <PageHead title={dashboardWords.classes.title} lead={dashboardWords.classes.lead} action={<NewCourse />} />
      <Stack gap="xl">
        <InvitationBanner />
        {page === 1 && <Loaded query={ownAgenda}>{(data) => <AgendaShown agenda={data} />}</Loaded>}
        {person?.areas.includes('organisations') && <OwnOrganisations />}
        <Loaded query={list}>
          {({ docs, total, pages }) =>
            docs.length === 0 && !manages ? (
              <Empty icon={GraduationCap} title={dashboardWords.classes.empty} action={<JoinForm />}>
                {dashboardWords.classes.emptyText}
              </Empty>
            ) : (
              <>
                {docs.length > 0 && (
                  <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
                    {docs.map((one) => (
                      <ClassTile key={one.classId} entry={one} />
                    ))}
                  </SimpleGrid>
                )}
                <Pager
                  page={page}
                  pages={pages}
                  total={total}
                  onChange={(to) => void navigate({ search: to > 1 ? { page: to } : {} })}
                />
                <Managed taughtIn={taughtIn(docs)} />
                <JoinForm />
              </>
            )
          }
        </Loaded>
        {!mayCreate && <AskOwner />}
      </Stack>
    </>
  )
}

const taughtIn = (entries: readonly Class[]): string[] => [
  ...new Set(
    entries.filter(({ role, ended }) => role === 'instructor' && !ended).map(({ course }) => course.organisation),
  ),
]

const ClassTile = ({ entry }: { readonly entry: Class }) => (
  <Link to="/dashboard/classes/$classId" params={{ classId: entry.classId }} className={classes.tile}>
    <Title order={2} className={classes.name}>
      {entry.name}
    </Title>
    <Text size="sm" c="dimmed">
      {entry.course.name} · {entry.sequential ? dashboardWords.classes.sequential : dashboardWords.classes.anyOrder}
    </Text>
    <Group gap="xs" mt="md">
      <Badge>{dashboardWords.classes.roles[entry.role]}</Badge>
      {entry.ended && <Badge color="gray">{dashboardWords.classes.ended}</Badge>}
    </Group>
  </Link>
)

function JoinForm() {
  const [joinCode, setJoinCode] = useState('')
  useUnsaved(() => joinCode.trim() !== '')
  const join = useWrite(joinClass, { changes: [listClasses] })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    join.mutate(
      { joinCode: joinCode.trim() },
      {
        onSuccess: ({ name }) => {
          setJoinCode('')
          notify(dashboardWords.classes.joined(name))
        },
      },
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={420}>
        {join.error && <Problem title={dashboardWords.classes.joinFailed} error={join.error} />}
        <Group align="flex-end" gap="xs" wrap="nowrap">
          <TextInput
            label={dashboardWords.classes.joinCode}
            description={dashboardWords.classes.joinHelp}
            value={joinCode}
            onChange={(event) => setJoinCode(event.currentTarget.value)}
            autoComplete="off"
            flex={1}
          />
          <Button type="submit" variant="default" loading={join.isPending} disabled={joinCode.trim() === ''}>
            {dashboardWords.classes.join}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
