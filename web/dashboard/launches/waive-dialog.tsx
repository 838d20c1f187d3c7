import { notify } from '../../parts/notify.tsx'
import { ReasonDialog } from '../../parts/reason-dialog.tsx'
import type { ReportTarget } from './report-target.ts'
import { useWaive } from './use-changes.ts'
import { launchWords } from './words.ts'

const { staff: say } = launchWords

interface WaiveDialogProps extends Omit<ReportTarget, 'mayGrade'> {
  readonly onClose: () => void
}

/** Asks why a student need not take a lesson, and waives it. */
export function WaiveDialog({ classId, studentId, name, lessonId, lesson, onClose }: WaiveDialogProps) {
  const waive = useWaive()
  return (
    <ReasonDialog
      title={say.waiveTitle(lesson, name)}
      go={say.waiveGo}
      help={say.waiveHelp}
      isDangerous
      isPending={waive.isPending}
      error={waive.error}
      onGo={(reason) =>
        waive.mutate(
          { classId, studentId, lessonId, reason },
          {
            onSuccess: () => {
              notify(say.waiveDone(lesson))
              onClose()
            },
          },
        )
      }
      onClose={onClose}
    >
      {say.waiveText}
    </ReasonDialog>
  )
}
