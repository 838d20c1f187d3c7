import { LessonTree } from '../progress/lesson-tree.tsx'
import { words } from '../words/words.ts'
import { ClassFrame } from './class-frame.tsx'
import { Overview } from './overview.tsx'

/** A class as its students see it, or as whoever teaches it does. */
export const ClassPage = () => (
  <ClassFrame
    lead={(one) => `${one.course.name} · ${one.sequential ? words.classes.sequential : words.classes.anyOrder}`}
  >
    {(one) => (one.studentId === null ? <Overview of={one} /> : <LessonTree of={one} />)}
  </ClassFrame>
)
