import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { grantAttempts, readGradebook, readResults, readTimeline, resetLesson } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notify.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'

const { extra, reset, grading } = dashboardWords

export interface StudentLesson {
  readonly classId: string
  readonly studentId: string
  readonly student: string
  readonly lessonId: string
  readonly lesson: string
  readonly attempts: number
}
interface StudentLessonDialogProps {
  readonly target: StudentLesson | undefined
  readonly onClose: () => void
}
const CHANGES = [readResults, readTimeline, readGradebook]

export const ExtraDialog = ({ target, onClose }: StudentLessonDialogProps) => (
  <Dialog isOpen={target !== undefined} onClose={onClose} title={target ? extra.title(target.lesson) : ''}>
    {target && <ExtraForm target={target} onClose={onClose} />}
  </Dialog>
)

function ExtraForm({
  target: { classId, studentId, lessonId },
  onClose,
}: {
  readonly target: StudentLesson
  readonly onClose: () => void
}) {
  const [count, setCount] = useState<number | string>(1)
  const give = useWrite(grantAttempts, { changes: CHANGES })
  return (
    <ReasonForm
      error={give.error}
      isBusy={give.isPending}
      label={extra.go}
      failed={extra.failed}
      onClose={onClose}
      onSend={(reason) =>
        give.mutate(
          { classId, studentId, lessonId, count: Number(count), reason },
          {
            onSuccess: ({ attemptsLeft }) => {
              notify(extra.done(attemptsLeft))
              onClose()
            },
          },
        )
      }
    >
      <NumberField label={extra.count} min={1} max={100} value={count} onChange={setCount} step={1} required />
    </ReasonForm>
  )
}

export const ResetDialog = ({ target, onClose }: StudentLessonDialogProps) => (
  <Dialog isOpen={target !== undefined} onClose={onClose} title={target ? reset.title(target.lesson) : ''}>
    {target && <ResetForm target={target} onClose={onClose} />}
  </Dialog>
)

function ResetForm({ target, onClose }: { readonly target: StudentLesson; readonly onClose: () => void }) {
  const { classId, studentId, lessonId } = target
  const go = useWrite(resetLesson, { changes: CHANGES })
  return (
    <ReasonForm
      error={go.error}
      isBusy={go.isPending}
      label={reset.go}
      failed={reset.failed}
      isDangerous
      onClose={onClose}
      onSend={(reason) =>
        go.mutate(
          { classId, studentId, lessonId, reason },
          {
            onSuccess: () => {
              notify(reset.done(target.lesson))
              onClose()
            },
          },
        )
      }
    >
      <Text size="sm">{reset.text(target.student, target.attempts)}</Text>
    </ReasonForm>
  )
}

interface ReasonFormProps {
  readonly error: Error | null
  readonly isBusy: boolean
  readonly label: string
  /** Title of the message if the change fails. */
  readonly failed: string
  readonly isDangerous?: boolean
  readonly onClose: () => void
  readonly onSend: (reason: string) => void
  readonly children: React.ReactNode
}

/** Asks an instructor for the reason of a change. The student can read it. */
function ReasonForm({ error, isBusy, label, failed, isDangerous = false, onClose, onSend, children }: ReasonFormProps) {
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  useUnsaved(() => reason.trim() !== '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(reason.trim() === '')
    if (reason.trim() !== '') onSend(reason.trim())
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {error && <Problem title={failed} error={error} />}
        {children}
        <Textarea
          label={grading.reason}
          description={grading.reasonHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={isMissing ? grading.missingReason : null}
          autosize
          minRows={2}
          maxLength={1000}
          data-autofocus
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={isBusy} {...(isDangerous && { color: 'red' })}>
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
