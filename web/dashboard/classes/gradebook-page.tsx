import { Button, Stack } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { exportGradebook } from '../../api/operations.ts'
import { Download } from '../../parts/icons.tsx'
import { PageHead } from '../../parts/page-head.tsx'
import { only } from '../../parts/search.ts'
import { SearchField } from '../../parts/search-field.tsx'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'
import { GradebookGrid } from './gradebook-grid.tsx'

const route = getRouteApi('/signed-in/dashboard/classes/$classId/gradebook')
const { gradebook: say } = dashboardWords

export function GradebookPage() {
  const { classId } = useClass()
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
        <SearchField
          label={dashboardWords.class.findStudent}
          value={view.search}
          onChange={(to) => void navigate({ search: only({ ...view, search: to }), replace: true })}
        />
        <GradebookGrid
          classId={classId}
          view={view}
          onSort={(order) => void navigate({ search: only({ search: view.search, ...order }) })}
        />
      </Stack>
    </>
  )
}
