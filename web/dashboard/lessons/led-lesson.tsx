import { Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { listEvaluations } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { Card } from '../../parts/card.tsx'
import { ClipboardCheck } from '../../parts/icons.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import classes from '../evaluations/evaluation.module.css'
import { EvaluationCard } from '../evaluations/evaluation-card.tsx'
import { maxOf, type Rubric } from '../evaluations/evaluation-model.ts'
import { evaluationWords as say } from '../evaluations/words.ts'
import type { LessonProps } from './lesson-props.ts'
import { lessonWords } from './words.ts'

/** Shows what is evaluated, and the evaluations so far. */
export function LedLesson({ lesson, classId, result }: LessonProps) {
  if (lesson.kind !== 'instructor-led') return <Text>{lesson.text ?? lessonWords.withInstructor}</Text>
  const { lessonId, rubric = [] } = lesson
  return (
    <>
      {classId !== undefined && <Evaluations classId={classId} lessonId={lessonId} isOwn={result !== undefined} />}
      {rubric.length > 0 && <RubricCard rubric={rubric} />}
      {classId === undefined && rubric.length === 0 && <Text>{say.noneText}</Text>}
    </>
  )
}

interface EvaluationsProps {
  readonly classId: string
  readonly lessonId: string
  readonly isOwn: boolean
}

function Evaluations({ classId, lessonId, isOwn }: EvaluationsProps) {
  const list = useQuery(query(listEvaluations, { classId, lessonId, limit: 25 }))
  return (
    <Loaded query={list}>
      {({ docs }) =>
        docs.length === 0 ? (
          <Card>
            <Empty
              icon={ClipboardCheck}
              title={say.none}
              action={!isOwn && <EvaluateLink {...{ classId, lessonId }} />}
            >
              {isOwn && say.noneText}
            </Empty>
          </Card>
        ) : (
          <Stack gap="lg">
            {docs.map((one, i) => (
              <Card
                key={one.evaluationId}
                title={isOwn ? (docs.length === 1 ? say.evaluation : say.evaluationNumber(docs.length - i)) : one.name}
                action={!isOwn && i === 0 && <EvaluateLink {...{ classId, lessonId }} />}
              >
                <EvaluationCard evaluation={one} isOwn={isOwn} />
              </Card>
            ))}
          </Stack>
        )
      }
    </Loaded>
  )
}

const EvaluateLink = ({ classId, lessonId }: Omit<EvaluationsProps, 'isOwn'>) => (
  <ButtonLink
    size="xs"
    to="/dashboard/classes/$classId/lessons/$lessonId/evaluate"
    params={{ classId, lessonId }}
    variant="default"
  >
    {say.evaluateAll}
  </ButtonLink>
)

const RubricCard = ({ rubric }: { readonly rubric: Rubric }) => (
  <Card title={say.rubric}>
    <ol className={classes.criteria}>
      {rubric.map((criterion) => (
        <li key={criterion.id}>
          <Text fw={550}>
            {criterion.name}{' '}
            <Text span size="sm" c="dimmed">
              {say.rubricPoints(maxOf(criterion))}
            </Text>
          </Text>
          {criterion.description && (
            <Text size="sm" c="dimmed">
              {criterion.description}
            </Text>
          )}
        </li>
      ))}
    </ol>
  </Card>
)
