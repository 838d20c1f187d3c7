import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { listOrganisations } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { dashboardWords } from '../words.ts'

const NewCourseDialog = lazy(async () => ({ default: (await import('./new-course-dialog.tsx')).NewCourseDialog }))

/** For owners of an organisation and administrators; others see nothing. */
export function NewCourse() {
  const [isOpen, setOpen] = useState(false)
  // Its own module would bring the field with it, which most who come here never see.
  const { data } = useQuery(query(listOrganisations, { role: 'owner', limit: 1 }))
  if (!data || data.total === 0) return null
  return (
    <>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {dashboardWords.newCourse.open}
      </Button>
      {isOpen && (
        <Suspense>
          <NewCourseDialog only={data.total === 1 ? data.docs[0] : undefined} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
