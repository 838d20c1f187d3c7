import { Button, Group, NativeSelect, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { exportGradebook, readGradebookAverages } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Download } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { only } from '../../parts/search.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'
import { GradebookGrid } from './gradebook-grid.tsx'
import { GRADEBOOK_STATES } from './gradebook-page-query.ts'
import { gradebookWords as words } from './gradebook-words.ts'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/gradebook')
const { gradebook: say } = dashboardWords

export function GradebookPage() {
  const classDetails = useClass()
  const { classId } = classDetails
  const averages = useQuery(query(readGradebookAverages, { classId }))
  const view = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <PageHead
        title={dashboardWords.class.gradebook}
        lead={say.lead}
        action={
          <Button
            component="a"
            href={exportGradebook({ classId })}
            download
            variant="default"
            leftSection={<Download size={16} aria-hidden />}
          >
            {say.export}
          </Button>
        }
      />
      <Stack>
        <Group align="flex-end" gap="sm">
          <SearchField
            label={dashboardWords.class.findStudent}
            value={view.search}
            onChange={(to) => void navigate({ search: only({ ...view, search: to }), replace: true })}
          />
          <NativeSelect
            size="xs"
            aria-label={words.state}
            value={view.state ?? ''}
            data={[
              { value: '', label: words.anyState },
              ...GRADEBOOK_STATES.map((value) => ({ value, label: words.states[value] })),
            ]}
            onChange={({ currentTarget: { value } }) =>
              void navigate({
                search: only({ ...view, state: GRADEBOOK_STATES.find((one) => one === value), in: undefined }),
              })
            }
          />
          {view.state !== undefined && (
            <NativeSelect
              size="xs"
              maw={240}
              aria-label={words.inLesson}
              value={view.in ?? ''}
              data={[
                { value: '', label: words.anyLesson },
                ...(averages.data?.lessons ?? []).map(({ lessonId, name }) => ({ value: lessonId, label: name })),
              ]}
              onChange={({ currentTarget: { value } }) =>
                void navigate({ search: only({ ...view, in: value || undefined }) })
              }
            />
          )}
        </Group>
        <GradebookGrid
          classDetails={classDetails}
          view={view}
          averages={averages.data}
          onSort={({ sort, lesson }) => void navigate({ search: only({ ...view, sort, lesson }) })}
        />
      </Stack>
    </>
  )
}
