import { Anchor } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { readClass } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { PageHead } from '../parts/page-head.tsx'
import { Loaded } from '../parts/states.tsx'
import { LessonTree } from '../progress/lesson-tree.tsx'
import { words } from '../words/words.ts'
import { Overview } from './overview.tsx'

/** A class as its students see it, or as whoever teaches it does. */
export function ClassPage() {
  const { classId } = useParams({ from: '/signed-in/dashboard/classes/$classId' })
  const found = useQuery(query(readClass, { classId }))
  return (
    <Loaded of={found}>
      {(one) => (
        <>
          <PageHead
            title={one.name}
            lead={`${one.course.name} · ${one.sequential ? words.classes.sequential : words.classes.anyOrder}`}
            above={
              <Anchor component={Link} to="/dashboard" size="sm">
                {words.classes.title}
              </Anchor>
            }
          />
          {one.studentId === null ? <Overview of={one} /> : <LessonTree of={one} />}
        </>
      )}
    </Loaded>
  )
}
