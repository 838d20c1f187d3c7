import { Dialog } from '../../parts/dialog.tsx'
import { ContentReport } from './content-report.tsx'
import type { ReportTarget } from './report-target.ts'
import { launchWords } from './words.ts'

interface ReportDialogProps {
  readonly target: ReportTarget
  readonly onClose: () => void
}

export const ReportDialog = ({ target, onClose }: ReportDialogProps) => (
  <Dialog isOpen onClose={onClose} title={launchWords.staff.reportOf(target.lesson)} isWide>
    <ContentReport {...target} />
  </Dialog>
)
