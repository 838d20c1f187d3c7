import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { listOrganisations } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { useHere } from '../layout/here.ts'
import { dashboard } from '../words/dashboard.ts'

const NewCourseDialog = lazy(async () => ({ default: (await import('./new-course-dialog.tsx')).NewCourseDialog }))

/** For owners of an organisation and administrators; others see nothing. */
export function NewCourse() {
  const [isOpen, setOpen] = useState(false)
  const isAdministrator = useHere().person?.areas.includes('admin') ?? false
  const { data } = useQuery(query(listOrganisations, { limit: 100 }))
  const own = data?.docs.filter(({ role }) => isAdministrator || role === 'owner') ?? []
  if (own.length === 0) return null
  return (
    <>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {dashboard.newCourse.open}
      </Button>
      {isOpen && (
        <Suspense>
          <NewCourseDialog organisations={own} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
