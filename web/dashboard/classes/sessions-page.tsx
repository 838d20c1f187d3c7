import { Button, Group } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Package } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { PagedList } from '../../parts/paged-list.tsx'
import { only } from '../../parts/search.ts'
import { Empty } from '../../parts/states.tsx'
import { SessionTable } from '../launches/session-table.tsx'
import { LIVE_MS } from '../launches/use-changes.ts'
import { launchWords } from '../launches/words.ts'
import { useClass } from './class-frame.tsx'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/sessions')
const { staff: say } = launchWords

/** Lists the sessions of a class with content packages, those that are open first. */
export function SessionsPage() {
  const { classId, may } = useClass()
  const { page = 1, lesson } = route.useSearch()
  const navigate = route.useNavigate()
  const sessions = useQuery({ ...route.useLoaderData().sessions, refetchInterval: LIVE_MS })
  const name = sessions.data?.docs.find(({ lessonId }) => lessonId === lesson)?.lessonName
  return (
    <>
      <PageHead title={say.title} lead={say.lead} />
      {lesson !== undefined && (
        <Group mb="md">
          {say.only(name ?? say.aLesson)}
          <Button size="compact-sm" variant="default" onClick={() => void navigate({ search: {} })}>
            {say.showAll}
          </Button>
        </Group>
      )}
      <PagedList
        query={sessions}
        page={page}
        onPage={(next) => void navigate({ search: only({ lesson, page: next }) })}
        empty={
          <Empty icon={Package} title={say.empty}>
            {say.emptyText}
          </Empty>
        }
      >
        {(docs) => <SessionTable classId={classId} sessions={docs} mayEnd={may.grade} />}
      </PagedList>
    </>
  )
}
