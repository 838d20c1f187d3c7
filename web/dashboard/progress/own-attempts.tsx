import { Anchor, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { Waiting } from '../../parts/states.tsx'
import { dashboardWords } from '../words.ts'

/** Loaded when the dialog opens. */
const AttemptsTable = onDemand(
  async () => (await import('./attempts-table.tsx')).AttemptsTable,
  () => <Waiting />,
)

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
        <AttemptsTable {...names} />
      </Dialog>
    </>
  )
}
