import { Stack } from '@mantine/core'
import { onDemand } from '../../parts/on-demand.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'
import { LeaveClass } from './leave-class.tsx'

/** Loaded on demand: students need only `LessonTree`, staff only `Overview`. */
const LessonTree = onDemand(async () => (await import('../progress/lesson-tree.tsx')).LessonTree)
const Announcements = onDemand(async () => (await import('../../parts/announcements.tsx')).Announcements)
const Overview = onDemand(async () => (await import('./overview.tsx')).Overview)

/** Shows a class: its lessons to students, the overview to staff. */
export function ClassPage() {
  const classDetails = useClass()
  const { classId, name, course, sequential, studentId, ended, may } = classDetails
  return (
    <>
      <PageHead
        title={name}
        lead={`${course.name} · ${sequential ? dashboardWords.classes.sequential : dashboardWords.classes.anyOrder}`}
        action={may.leave && <LeaveClass classDetails={classDetails} />}
      />
      <Stack gap="lg">
        <Announcements target={{ classId }} name={name} isClosed={ended} />
        {studentId === null ? <Overview classDetails={classDetails} /> : <LessonTree classDetails={classDetails} />}
      </Stack>
    </>
  )
}
