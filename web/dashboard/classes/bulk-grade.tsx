import { Button, Group, SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import {
  gradeAttempt,
  listAttempts,
  listAwaiting,
  readGradebook,
  readGradebookAverages,
  readResults,
  readTimeline,
} from '../../api/operations.ts'
import { useBulkWrite } from '../../api/query.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { notify } from '../../parts/notify.tsx'
import { NumberField } from '../../parts/number-field.tsx'
import { BulkFailures } from '../../parts/selection.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import type { AttemptToGrade } from '../progress/grade-dialog.tsx'
import { dashboardWords } from '../words.ts'

const { grading: say } = dashboardWords

interface BulkGradeProps {
  readonly isOpen: boolean
  readonly attempts: readonly AttemptToGrade[]
  readonly onClose: () => void
}

/** Gives several attempts the same grade. Attempts whose grade fails stay selected. */
export const BulkGradeDialog = ({ isOpen, attempts, onClose }: BulkGradeProps) => (
  <Dialog isOpen={isOpen} onClose={onClose} title={say.gradeAll(attempts.length)}>
    <BulkGradeForm attempts={attempts} onClose={onClose} />
  </Dialog>
)

function BulkGradeForm({ attempts, onClose }: Omit<BulkGradeProps, 'isOpen'>) {
  const grade = useBulkWrite(gradeAttempt, {
    changes: [listAwaiting, readResults, readTimeline, readGradebook, readGradebookAverages, listAttempts],
    onDone: ({ done, failed }) => {
      if (done > 0) notify(say.gradedAll(done))
      if (failed.length === 0) onClose()
    },
  })
  const form = useForm({
    initialValues: { how: 'pass' as 'pass' | 'fail' | 'score', score: '' as number | string, reason: '' },
    validate: { score: (value, { how }) => (how === 'score' && value === '' ? say.missingScore : null) },
  })
  useUnsaved(() => form.isDirty())
  const submit = form.onSubmit(({ how, score, reason }) =>
    grade.mutate(
      attempts.map(({ classId, studentId, lessonId, lessonResultId, name, lessonName }) => ({
        name: `${name}, ${lessonName}`,
        input: {
          classId,
          studentId,
          lessonId,
          lessonResultId,
          ...(how === 'score' ? { score: Number(score) } : { pass: how === 'pass' }),
          ...(reason.trim() !== '' && { reason: reason.trim() }),
        },
      })),
    ),
  )
  return (
    <form onSubmit={submit}>
      <Stack>
        {grade.error && <Problem title={say.failed} error={grade.error} />}
        <BulkFailures result={grade.data} />
        <Text size="sm" lineClamp={3}>
          {attempts.map(({ name, lessonName }) => `${name}, ${lessonName}`).join(' · ')}
        </Text>
        <SegmentedControl
          aria-label={say.how}
          data={[
            { value: 'pass', label: say.pass },
            { value: 'fail', label: say.fail },
            { value: 'score', label: say.byScore },
          ]}
          {...form.getInputProps('how')}
        />
        {form.values.how === 'score' && (
          <NumberField
            label={say.score}
            description={say.scoreHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            {...form.getInputProps('score')}
          />
        )}
        <Textarea
          label={say.reason}
          description={say.reasonFirst}
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
            {say.gradeAll(attempts.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
