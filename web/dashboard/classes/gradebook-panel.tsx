import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type ClassDetails,
  type Gradebook,
  listAttempts,
  listEvaluations,
  readHere,
  readLessonContent,
} from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { ArrowRight } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { Loaded } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { LateBadge } from '../dates/lesson-dates.tsx'
import { EvaluationCard } from '../evaluations/evaluation-card.tsx'
import { ChangeForm, RecordForm } from '../evaluations/evaluation-form.tsx'
import { evaluationWords } from '../evaluations/words.ts'
import { ContentReport } from '../launches/content-report.tsx'
import { GradeForm } from '../progress/grade-dialog.tsx'
import { pageIn } from '../progress/reported.ts'
import { ResultBadge } from '../progress/result-badge.tsx'
import type { GradebookCell } from './gradebook-cells.ts'
import { gradebookWords as say } from './gradebook-words.ts'

export interface OpenCell {
  readonly student: Pick<Gradebook['docs'][number], 'studentId' | 'name' | 'handle'>
  readonly lesson: Gradebook['lessons'][number]
  readonly cell: GradebookCell
}

interface GradebookPanelProps extends OpenCell {
  readonly classDetails: ClassDetails
  readonly onClose: () => void
  /** Goes to the next cell that waits for a grade, or closes the panel if there is none. */
  readonly onNext: () => void
}

/** Shows a cell of the gradebook: the latest attempt, and the form to grade or to evaluate it. */
export function GradebookPanel({ classDetails, student, lesson, cell, onClose, onNext }: GradebookPanelProps) {
  const { classId } = classDetails
  const { studentId } = student
  return (
    <Stack>
      <Group gap="xs">
        <ResultBadge result={cell.result} />
        {cell.score !== null && <Text fw={600}>{cell.score}</Text>}
        <LateBadge late={cell.isLate} overdue={cell.isOverdue} />
      </Group>
      {lesson.kind === 'package' && (
        <ContentReport
          classId={classId}
          studentId={studentId}
          name={student.name || student.handle}
          lessonId={lesson.lessonId}
          lesson={lesson.name}
          mayGrade={classDetails.may.grade}
        />
      )}
      {lesson.kind === 'instructor-led' ? (
        <Led {...{ classDetails, student, lesson, cell, onNext }} />
      ) : (
        <Graded {...{ classDetails, student, lesson, cell, onNext, onClose }} />
      )}
      <Group justify="space-between" gap="xs">
        <ButtonLink
          size="xs"
          variant="subtle"
          to="/dashboard/classes/$classId/students/$studentId"
          params={{ classId, studentId }}
        >
          {say.openStudent}
        </ButtonLink>
        <Button size="xs" variant="default" rightSection={<ArrowRight size={14} aria-hidden />} onClick={onNext}>
          {say.next}
        </Button>
      </Group>
    </Stack>
  )
}

type PartProps = Omit<GradebookPanelProps, 'onClose'>

/** A lesson that the student works on: grade the latest attempt, once it is finished. */
function Graded({ classDetails, student, lesson, cell, onNext, onClose }: GradebookPanelProps) {
  const { classId, may } = classDetails
  const { studentId, name, handle } = student
  const { lessonId } = lesson
  const attempts = useQuery({
    ...query(listAttempts, { classId, studentId, lessonId, limit: 5 }),
    select: pageIn,
    enabled: cell.attempts > 0,
  })
  if (cell.attempts === 0) return <Text size="sm">{say.notStarted}</Text>
  return (
    <Loaded query={attempts}>
      {({ docs, total }) => {
        const finished = docs.find(({ completed }) => completed !== null)
        const [latest] = docs
        return (
          <Stack>
            <Facts>
              <Fact name={say.attempts}>{total}</Fact>
              {latest && (
                <Fact name={say.started}>
                  <Moment at={latest.started} />
                </Fact>
              )}
              {latest?.due && (
                <Fact name={say.due}>
                  <Moment at={latest.due} />
                </Fact>
              )}
            </Facts>
            {latest?.completed === null && <Text size="sm">{say.stillOpen}</Text>}
            {!may.grade && <Text size="sm">{say.readOnly}</Text>}
            {lesson.kind === 'quiz' && latest && (
              <Group>
                <ButtonLink
                  size="xs"
                  variant={may.grade && cell.isWaiting ? 'filled' : 'default'}
                  to="/dashboard/classes/$classId/quizzes/$lessonResultId"
                  params={{ classId, lessonResultId: (finished ?? latest).lessonResultId }}
                >
                  {may.grade && cell.isWaiting ? say.gradeAnswers : say.openAnswers}
                </ButtonLink>
              </Group>
            )}
            {may.grade && finished && !(lesson.kind === 'quiz' && cell.isWaiting) && (
              <GradeForm
                key={finished.lessonResultId}
                attempt={{
                  ...{ classId, studentId, lessonId, name: name || handle, lessonName: lesson.name },
                  lessonResultId: finished.lessonResultId,
                  isFirst: cell.isWaiting,
                }}
                onClose={onClose}
                onDone={onNext}
              />
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}

/** An instructor-led lesson: read and change the latest evaluation, or record one. */
function Led({ classDetails, student, lesson, onNext }: PartProps) {
  const { classId, may, ended } = classDetails
  const { studentId, name, handle } = student
  const { lessonId } = lesson
  const list = useQuery(query(listEvaluations, { classId, lessonId, studentId, limit: 1 }))
  const content = useQuery(query(readLessonContent, { classId, lessonId }))
  const here = useQuery(query(readHere, {}))
  const [form, setForm] = useState<'change' | 'record'>()
  const person = here.data?.person?.handle
  return (
    <Loaded query={list}>
      {({ docs: [latest] }) => {
        if (latest && form === 'change')
          return (
            <ChangeForm
              evaluation={latest}
              threshold={content.data?.threshold ?? null}
              onClose={() => setForm(undefined)}
            />
          )
        const mayRecord = may.evaluate && !ended && person !== undefined && content.data
        return (
          <Stack>
            {latest && <EvaluationCard evaluation={latest} isOwn={false} />}
            {latest && form === undefined && (
              <Group gap="xs">
                {may.grade && (
                  <Button size="xs" variant="default" onClick={() => setForm('change')}>
                    {evaluationWords.change}
                  </Button>
                )}
                {mayRecord && (
                  <Button size="xs" variant="default" onClick={() => setForm('record')}>
                    {say.another}
                  </Button>
                )}
              </Group>
            )}
            {!latest && !may.evaluate && <Text size="sm">{evaluationWords.none}</Text>}
            {mayRecord && (!latest || form === 'record') && (
              <RecordForm
                person={person}
                classId={classId}
                lesson={content.data}
                student={{ studentId, name: name || handle }}
                onDone={onNext}
              />
            )}
          </Stack>
        )
      }}
    </Loaded>
  )
}
