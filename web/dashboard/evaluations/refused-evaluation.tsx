import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Waiting } from './outbox.ts'
import { evaluationWords as say } from './words.ts'

interface RefusedEvaluationProps {
  readonly waiting: Waiting
  /** The button that corrects it. */
  readonly children: ReactNode
  readonly onDiscard: () => void
}

/** Says why the platform refused an evaluation, until it is corrected or discarded. */
export const RefusedEvaluation = ({ waiting, children, onDiscard }: RefusedEvaluationProps) => (
  <Alert color="red" title={say.refusedTitle(waiting.name)} role="alert">
    <Stack gap="xs">
      <Text size="sm">{waiting.error}</Text>
      <Group gap="xs">
        {children}
        <Button size="xs" variant="subtle" color="red" aria-label={say.discardOf(waiting.name)} onClick={onDiscard}>
          {say.discard}
        </Button>
      </Group>
    </Stack>
  </Alert>
)
