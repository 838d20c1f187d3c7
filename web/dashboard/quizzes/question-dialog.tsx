import { lazy, Suspense } from 'react'
import type { Question } from '../../api/operations.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Lines } from '../../parts/states.tsx'
import { quizWords } from './words.ts'

/** Loaded when somebody edits a question, because most visits only read the list. */
const QuestionForm = lazy(async () => ({ default: (await import('./question-form.tsx')).QuestionForm }))

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
    {isOpen && (
      <Suspense fallback={<Lines />}>
        <QuestionForm question={question} isCopy={isCopy} {...rest} />
      </Suspense>
    )}
  </Dialog>
)
