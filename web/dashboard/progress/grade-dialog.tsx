import { Button, Group, SegmentedControl, Stack, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import {
  gradeAttempt,
  listAttempts,
  listAwaiting,
  readGradebook,
  readGradebookAverages,
  readResults,
  readTimeline,
} from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { notify } from '../../parts/notify.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { Problem } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { dashboardWords } from '../words.ts'
import { Answers } from './answers.tsx'
import { pageIn, sayReported } from './reported.ts'

const { grading: say } = dashboardWords

export interface AttemptToGrade {
  readonly classId: string
  readonly studentId: string
  readonly name: string
  readonly lessonId: string
  readonly lessonName: string
  readonly lessonResultId: string
  /** Whether this is the first grade. A grade that replaces another one needs a reason. */
  readonly isFirst: boolean
}

interface GradeDialogProps {
  readonly attempt: AttemptToGrade | undefined
  readonly onClose: () => void
}

/** Lets an instructor grade a finished attempt, with a score or as passed or failed. */
export const GradeDialog = ({ attempt, onClose }: GradeDialogProps) => (
  <Dialog
    isOpen={attempt !== undefined}
    onClose={onClose}
    title={attempt ? say.title(attempt.name, attempt.lessonName) : ''}
  >
    {attempt && <GradeForm key={attempt.lessonResultId} attempt={attempt} onClose={onClose} />}
  </Dialog>
)

type GradeChoice = 'score' | 'pass' | 'fail'

interface GradeFormProps {
  readonly attempt: AttemptToGrade
  readonly onClose: () => void
  /** Called after the grade is saved; by default the form closes. */
  readonly onDone?: () => void
}

export function GradeForm({ attempt, onClose, onDone = onClose }: GradeFormProps) {
  const { classId, studentId, lessonId, lessonResultId } = attempt
  const attempts = useQuery({
    ...query(listAttempts, { classId, studentId, lessonId, lessonResultId, limit: 1 }),
    select: pageIn,
  })
  const reported = attempts.data?.docs[0]
  const how = reported && sayReported(reported.reported)
  const grade = useWrite(gradeAttempt, {
    changes: [listAwaiting, readResults, readTimeline, readGradebook, readGradebookAverages, listAttempts],
  })
  const form = useForm({
    initialValues: { how: 'score' as GradeChoice, score: '' as number | string, reason: '' },
    validate: {
      score: (value, { how }) => (how === 'score' && value === '' ? say.missingScore : null),
      reason: (value) => (!attempt.isFirst && value.trim() === '' ? say.missingReason : null),
    },
  })
  useUnsaved(() => form.isDirty())
  const submit = form.onSubmit(({ how, score, reason }) =>
    grade.mutate(
      {
        classId,
        studentId,
        lessonId,
        lessonResultId,
        ...(how !== 'score' && { pass: how === 'pass' }),
        ...(score !== '' && { score: Number(score) }),
        ...(reason.trim() !== '' && { reason: reason.trim() }),
      },
      {
        onSuccess: () => {
          notify(say.done(attempt.name))
          form.resetDirty()
          onDone()
        },
      },
    ),
  )
  return (
    <form onSubmit={submit}>
      <Stack>
        {grade.error && <Problem title={say.failed} error={grade.error} />}
        {reported && (
          <Facts>
            <Fact name={say.finished}>
              <Time at={reported.completed} />
            </Fact>
            {reported.score !== null && <Fact name={say.reported}>{reported.score}</Fact>}
            {how !== undefined && <Fact name={dashboardWords.reported.title}>{how}</Fact>}
          </Facts>
        )}
        {reported?.answers && reported.answers.length > 0 && <Answers answers={reported.answers} />}
        <SegmentedControl
          aria-label={say.how}
          data={[
            { value: 'score', label: say.byScore },
            { value: 'pass', label: say.pass },
            { value: 'fail', label: say.fail },
          ]}
          {...form.getInputProps('how')}
        />
        <NumberField
          label={say.score}
          description={form.values.how === 'score' ? say.scoreHelp : say.scoreOptional}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          data-autofocus
          {...form.getInputProps('score')}
        />
        <Textarea
          label={say.reason}
          description={attempt.isFirst ? say.reasonFirst : say.reasonHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autosize
          minRows={2}
          maxLength={1000}
          {...form.getInputProps('reason')}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={grade.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
