import { lazy, Suspense } from 'react'
import { dashboardWords } from '../words.ts'
import { ClassFrame } from './class-frame.tsx'

/** One of these is for whoever learns, the other for whoever teaches: nobody loads both. */
const LessonTree = lazy(async () => ({ default: (await import('../progress/lesson-tree.tsx')).LessonTree }))
const Overview = lazy(async () => ({ default: (await import('./overview.tsx')).Overview }))

/** A class as its students see it, or as whoever teaches it does. */
export const ClassPage = () => (
  <ClassFrame
    lead={(one) =>
      `${one.course.name} · ${one.sequential ? dashboardWords.classes.sequential : dashboardWords.classes.anyOrder}`
    }
  >
    {(one) => (
      <Suspense>
        {one.studentId === null ? <Overview classDetails={one} /> : <LessonTree classDetails={one} />}
      </Suspense>
    )}
  </ClassFrame>
)
