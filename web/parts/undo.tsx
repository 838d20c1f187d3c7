import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { words } from '../words/words.ts'

const LONG_ENOUGH_MS = 12_000

/** Says what has happened, and offers to take it back. */
export function offerUndo(message: string, undo: () => void): void {
  const id = notifications.show({
    autoClose: LONG_ENOUGH_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="light"
          flex="none"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          {words.form.undo}
        </Button>
      </Group>
    ),
  })
}
