import { Button, Group, Stack, Text } from '@mantine/core'
import { CircleCheck } from '../../parts/icons.tsx'
import { Problem } from '../../parts/states.tsx'
import { contentWords as say } from '../content/words.ts'
import type { Completion } from './use-completion.ts'

interface CompletionBarProps {
  readonly completion: Completion
  /** How the lesson is completed. */
  readonly text: string
  readonly done: string
  /** Label of the button; without it there is no button. */
  readonly go?: string
}

/** Tells a student how far they are with a lesson, and lets them complete it. */
export function CompletionBar({ completion, text, done, go }: CompletionBarProps) {
  const { state, isPending, error, complete } = completion
  return (
    <Stack gap="sm" aria-live="polite">
      {error && <Problem title={say.notSaved} error={error} />}
      {state === 'done' && (
        <Group gap="xs" wrap="nowrap">
          <CircleCheck size={18} color="var(--mantine-color-green-text)" />
          <Text>{done}</Text>
        </Group>
      )}
      {state === 'open' && (
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {text}
          </Text>
          {go && (
            <Button loading={isPending} onClick={complete}>
              {go}
            </Button>
          )}
        </Group>
      )}
    </Stack>
  )
}
