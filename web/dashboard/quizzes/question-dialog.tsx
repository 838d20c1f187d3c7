import type { Question } from '../../api/operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { onDemand } from '../../parts/on-demand.ts'
import { Lines } from '../../parts/states.tsx'
import { quizWords } from './words.ts'

/** Loaded when somebody edits a question, because most visits only read the list. */
const QuestionForm = onDemand(
  async () => (await import('./question-form.tsx')).QuestionForm,
  () => <Lines />,
)

interface QuestionDialogProps {
  readonly organisation: string
  readonly isOpen: boolean
  readonly question?: Question | undefined
  readonly isCopy?: boolean
  readonly onSaved: (question: Question) => void
  readonly onClose: () => void
}

/** The dialog in which a question is created or changed. */
export const QuestionDialog = ({ isOpen, question, isCopy = false, ...rest }: QuestionDialogProps) => (
  <Dialog
    isOpen={isOpen}
    onClose={rest.onClose}
    title={question && !isCopy ? quizWords.form.editTitle : quizWords.form.createTitle}
  >
    {isOpen && <QuestionForm question={question} isCopy={isCopy} {...rest} />}
  </Dialog>
)
