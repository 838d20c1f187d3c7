import { Button, Group, Stack, Textarea } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { changeEvaluation, type Evaluation, type LessonDetails, listEvaluations } from '../../api/operations.ts'
import { query, useWrite } from '../../api/query.ts'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import { words } from '../../parts/words.ts'
import { EvaluationFields } from './evaluation-fields.tsx'
import {
  type EvaluationValues,
  findMistakes,
  followingValues,
  lastEndsOf,
  pointsIn,
  type Rubric,
  standingOf,
  toInput,
  valuesOf,
} from './evaluation-model.ts'
import { makeEvaluationId } from './outbox.ts'
import { EVALUATION_READS, useOutbox } from './use-outbox.ts'
import { evaluationWords as say } from './words.ts'

interface RecordFormProps {
  /** Handle of the instructor. */
  readonly person: string
  readonly classId: string
  readonly lesson: LessonDetails
  readonly student: { readonly studentId: string; readonly name: string }
  readonly onDone: () => void
}

/** Records an evaluation of one student. Without a connection it is saved on the device and sent later. */
export function RecordForm({ person, classId, lesson, student, onDone }: RecordFormProps) {
  const { lessonId, rubric = [], threshold } = lesson
  const { studentId, name } = student
  const { outbox, keepDraft, post } = useOutbox(person, classId, lessonId)
  const [areMistakesShown, showMistakes] = useState(false)
  const recent = useQuery(query(listEvaluations, { classId, lessonId, studentId, limit: 100 }))
  const last = lastEndsOf(outbox.waiting, recent.data?.docs ?? []).get(studentId)
  const values = outbox.drafts[studentId] ?? followingValues([last])
  // Nothing is lost: the draft is kept on the device.
  useUnsaved(() => false)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const isWrong = Object.keys(findMistakes(rubric, threshold, values)).length > 0
        showMistakes(isWrong)
        if (isWrong) return
        const ids = { evaluationId: makeEvaluationId(), studentId }
        post([studentId], [{ ...toInput(rubric, threshold, values, ids), name }])
        onDone()
      }}
    >
      <Stack>
        <EvaluationFields
          rubric={rubric}
          threshold={threshold}
          values={values}
          mistakes={areMistakesShown ? findMistakes(rubric, threshold, values) : {}}
          onChange={(changes) => keepDraft(studentId, { ...values, ...changes })}
        />
        <Group justify="flex-end">
          <Button type="submit">{say.evaluate}</Button>
        </Group>
      </Stack>
    </form>
  )
}

interface ChangeFormProps {
  readonly evaluation: Evaluation
  readonly threshold: number | null
  readonly onClose: () => void
}

/** Changes an evaluation. The student reads the reason, and acknowledges it again. */
export function ChangeForm({ evaluation, threshold, onClose }: ChangeFormProps) {
  const rubric: Rubric = evaluation.criteria.map(({ id, name, maxPoints }) => ({ id, name, points: maxPoints }))
  const [values, setValues] = useState<EvaluationValues>(() => valuesOf(evaluation))
  const [reason, setReason] = useState('')
  const [isTouched, touch] = useState(false)
  const [mistakes, setMistakes] = useState<Readonly<Record<string, string>>>({})
  const change = useWrite(changeEvaluation, {
    changes: EVALUATION_READS,
    onDone: () => {
      notify(say.changed)
      onClose()
    },
  })
  useUnsaved(() => (isTouched || reason !== '') && !change.isSuccess)
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const found = {
          ...findMistakes(rubric, threshold, values),
          ...(reason.trim() === '' && { reason: say.missingReason }),
        }
        setMistakes(found)
        if (Object.keys(found).length > 0) return
        const { score, pass } = standingOf(rubric, threshold, values)
        change.mutate({
          evaluationId: evaluation.evaluationId,
          criteria: pointsIn(rubric, values),
          ...(score !== null && { score }),
          ...(pass !== undefined && { pass }),
          remarks: values.remarks,
          reason: reason.trim(),
        })
      }}
    >
      <Stack>
        {change.error && <Problem title={say.changeFailed} error={change.error} />}
        <EvaluationFields
          rubric={rubric}
          threshold={threshold}
          values={values}
          mistakes={mistakes}
          hasTimes={false}
          onChange={(changes) => {
            touch(true)
            // New points give a new score, unless it is entered too.
            const next = changes.points
              ? without({ ...values, ...changes }, 'score', 'pass')
              : { ...values, ...changes }
            setValues(next)
          }}
        />
        <Textarea
          label={say.reason}
          description={say.reasonHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autosize
          minRows={2}
          maxLength={1000}
          value={reason}
          error={mistakes.reason}
          onChange={({ currentTarget }) => setReason(currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {words.form.cancel}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {say.change}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const without = (values: EvaluationValues, ...fields: string[]): EvaluationValues =>
  Object.fromEntries(Object.entries(values).filter(([field]) => !fields.includes(field))) as unknown as EvaluationValues
