import { lazy, Suspense } from 'react'
import { PageHead } from '../../parts/page-head.tsx'
import { dashboardWords } from '../words.ts'
import { useClass } from './class-frame.tsx'

/** Students load one of these and staff the other, never both. */
const LessonTree = lazy(async () => ({ default: (await import('../progress/lesson-tree.tsx')).LessonTree }))
const Overview = lazy(async () => ({ default: (await import('./overview.tsx')).Overview }))

/** A class as its students see it, or as its staff does. */
export function ClassPage() {
  const classDetails = useClass()
  const { name, course, sequential, studentId } = classDetails
  return (
    <>
      <PageHead
        title={name}
        lead={`${course.name} · ${sequential ? dashboardWords.classes.sequential : dashboardWords.classes.anyOrder}`}
      />
      <Suspense>
        {studentId === null ? <Overview classDetails={classDetails} /> : <LessonTree classDetails={classDetails} />}
      </Suspense>
    </>
  )
}
