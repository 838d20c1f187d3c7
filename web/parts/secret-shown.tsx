import { Button, Group, Stack, Text } from '@mantine/core'
import { Copied } from './copied.tsx'
import { Dialog } from './dialog.tsx'
import { words } from './words.ts'

/**
 * Shows a secret that cannot be shown again. The dialog stays open until the person confirms that they have saved it.
 */
export const SecretShown = ({
  secret,
  text = words.secret.text,
  label = words.secret.label,
  onKept,
}: {
  readonly secret: string | undefined
  /** Says what the secret is for; by default that it is the secret of an app. */
  readonly text?: string
  readonly label?: string
  readonly onKept: () => void
}) => (
  <Dialog isOpen={secret !== undefined} title={words.secret.title}>
    <Stack>
      <Text size="sm">{text}</Text>
      <Copied value={secret ?? ''} what={label} />
      <Group justify="flex-end">
        <Button onClick={onKept}>{words.secret.kept}</Button>
      </Group>
    </Stack>
  </Dialog>
)
