import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useHere } from '../../api/here.ts'
import { Plus } from '../../parts/icons.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { ownOrganisations } from '../../parts/own-organisations.ts'
import { dashboardWords } from '../words.ts'

const NewCourseDialog = onDemand(async () => (await import('./new-course-dialog.tsx')).NewCourseDialog)

/** A button that creates a course. Renders nothing for people who may not create courses. */
export function NewCourse() {
  const [isOpen, setOpen] = useState(false)
  const mayCreate = useHere().person?.may.createCourse ?? false
  const organisations = useQuery({ ...ownOrganisations('courseAuthor'), enabled: mayCreate })
  if (!mayCreate) return null
  return (
    <>
      <Button leftSection={<Plus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {dashboardWords.newCourse.open}
      </Button>
      {isOpen && organisations.data && (
        <NewCourseDialog only={organisations.data.first} onClose={() => setOpen(false)} />
      )}
    </>
  )
}
