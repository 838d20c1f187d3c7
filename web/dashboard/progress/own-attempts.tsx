import { Anchor, VisuallyHidden } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { Waiting } from '../../parts/states.tsx'
import { dashboardWords } from '../words.ts'

/** Loaded when the dialog opens. */
const AttemptsTable = lazy(async () => ({ default: (await import('./attempts-table.tsx')).AttemptsTable }))

const { mine: say } = dashboardWords

interface OwnAttemptsProps {
  readonly classId: string
  readonly lessonId: string
  readonly lesson: string
}

/** A button that shows the student's attempts at a lesson. */
export function OwnAttempts({ lesson, ...names }: OwnAttemptsProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      {' · '}
      <Anchor component="button" type="button" size="xs" onClick={() => setOpen(true)}>
        <span aria-hidden>{say.attempts}</span>
        <VisuallyHidden>{say.showAttempts(lesson)}</VisuallyHidden>
      </Anchor>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title={say.showAttempts(lesson)} isWide>
        <Suspense fallback={<Waiting />}>
          <AttemptsTable {...names} />
        </Suspense>
      </Dialog>
    </>
  )
}
