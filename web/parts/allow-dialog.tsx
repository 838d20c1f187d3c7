import { Button, Group, List, Stack, Text } from '@mantine/core'
import { Dialog } from './dialog.tsx'
import { words } from './words.ts'

const { allow: say } = words

interface AllowDialogProps {
  readonly title: string
  /** The platform's error message, which names the app; undefined while the dialog is closed. */
  readonly why: string | undefined
  readonly text: string
  readonly go: string
  readonly isPending: boolean
  readonly onAllow: () => void
  readonly onClose: () => void
}

/** Asks whether the person allows an app, like the consent page, but in a dialog. */
export const AllowDialog = ({ title, why, text, go, isPending, onAllow, onClose }: AllowDialogProps) => (
  <Dialog isOpen={why !== undefined} onClose={onClose} title={title}>
    <Stack>
      <Text size="sm">{why?.split(';', 1)[0]}.</Text>
      <Text size="sm">{text}</Text>
      <List size="sm">
        {say.asks.map((one) => (
          <List.Item key={one}>{one}</List.Item>
        ))}
      </List>
      <Text size="sm" c="dimmed">
        {say.never}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {say.deny}
        </Button>
        <Button data-autofocus loading={isPending} onClick={onAllow}>
          {go}
        </Button>
      </Group>
    </Stack>
  </Dialog>
)
