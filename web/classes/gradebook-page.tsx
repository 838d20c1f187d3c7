import { Button } from '@mantine/core'
import { Download } from 'lucide-react'
import { exportGradebook } from '../api/operations.ts'
import { dashboard } from '../words/dashboard.ts'
import { ClassFrame } from './class-frame.tsx'
import { GradebookGrid } from './gradebook-grid.tsx'

const { gradebook: say } = dashboard

export const GradebookPage = () => (
  <ClassFrame
    title={dashboard.class.gradebook}
    lead={say.lead}
    action={({ classId }) => (
      <Button
        component="a"
        href={exportGradebook({ classId })}
        download
        variant="default"
        leftSection={<Download size={16} aria-hidden />}
      >
        {say.export}
      </Button>
    )}
  >
    {({ classId }) => <GradebookGrid classId={classId} />}
  </ClassFrame>
)
