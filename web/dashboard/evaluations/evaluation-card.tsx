import { Badge, Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { acknowledgeEvaluation, type Evaluation } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { CircleCheck, CircleX } from '../../parts/icons.tsx'
import { notify } from '../../parts/notify.tsx'
import { Problem } from '../../parts/states.tsx'
import { Moment, sayDuration, Time } from '../../parts/time.tsx'
import { useUnsaved } from '../../parts/unsaved.tsx'
import classes from './evaluation.module.css'
import { EVALUATION_READS } from './use-outbox.ts'
import { evaluationWords as say } from './words.ts'

interface EvaluationCardProps {
  readonly evaluation: Evaluation
  /** Whether the reader is the student. */
  readonly isOwn: boolean
}

/** Shows an evaluation: result, points, remarks, and whether the student has acknowledged it. */
export function EvaluationCard({ evaluation, isOwn }: EvaluationCardProps) {
  const { criteria, pass, score, remarks, startTime, endTime, recordedBy, acknowledged, comment, counts } = evaluation
  const Icon = pass ? CircleCheck : CircleX
  const seconds = (Date.parse(endTime) - Date.parse(startTime)) / 1000
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Badge color={pass ? 'green' : 'red'} leftSection={<Icon size={13} aria-hidden />}>
          {pass ? say.pass : say.fail}
        </Badge>
        {score !== null && <Text fw={600}>{say.scored(score)}</Text>}
        {!counts && <Badge color="gray">{say.reset}</Badge>}
      </Group>
      <Text size="sm" c="dimmed">
        <Moment at={startTime} />
        {seconds > 0 && ` · ${sayDuration(seconds)}`} · {recordedBy === null ? say.someone : say.by(recordedBy)}
      </Text>
      {criteria.length > 0 && (
        <table className={classes.points}>
          <tbody>
            {criteria.map(({ id, name, points, maxPoints }) => (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td>{say.pointsOf(points, maxPoints)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {remarks !== '' && <Text className={classes.remarks}>{remarks}</Text>}
      {acknowledged !== null ? (
        <Text size="sm" c="dimmed">
          {say.acknowledged} <Time at={acknowledged} />
          {comment !== '' && `: ${comment}`}
        </Text>
      ) : isOwn ? (
        <Acknowledge evaluation={evaluation} />
      ) : (
        <Text size="sm" c="dimmed">
          {say.waitsForStudent}
        </Text>
      )}
    </Stack>
  )
}

function Acknowledge({ evaluation: { evaluationId, version, lessonName } }: { readonly evaluation: Evaluation }) {
  const [comment, setComment] = useState('')
  const acknowledge = useWrite(acknowledgeEvaluation, {
    changes: EVALUATION_READS,
    onDone: () => notify(say.acknowledgedDone),
  })
  useUnsaved(() => comment !== '' && !acknowledge.isSuccess)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        acknowledge.mutate({ evaluationId, version, ...(comment.trim() !== '' && { comment: comment.trim() }) })
      }}
    >
      <Stack gap="sm">
        {acknowledge.error && <Problem title={say.acknowledgeFailed} error={acknowledge.error} />}
        <Text size="sm">{say.acknowledgeText}</Text>
        <Textarea
          label={say.comment}
          description={say.commentHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          autosize
          minRows={2}
          maxLength={1000}
          value={comment}
          onChange={({ currentTarget }) => setComment(currentTarget.value)}
        />
        <Group>
          <Button type="submit" loading={acknowledge.isPending} aria-label={say.acknowledgeOf(lessonName)}>
            {say.acknowledge}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
