import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { consoleWords } from '../words/console.ts'

/** Says what was done, and offers to take it back. */
export function notifyWithUndo(message: string, undo: () => void): void {
  const id = notifications.show({
    autoClose: 10_000,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id)
            undo()
          }}
        >
          {consoleWords.form.undo}
        </Button>
      </Group>
    ),
  })
}
