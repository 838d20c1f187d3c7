import { Button, Group, Stack, Text } from '@mantine/core'
import { Copied } from './copied.tsx'
import { Dialog } from './dialog.tsx'
import { secretWords } from './secret-words.ts'

/**
 * Shows a secret that cannot be shown again. The dialog stays open until the person confirms that they have saved it.
 */
export const SecretShown = ({
  secret,
  text = secretWords.text,
  label = secretWords.label,
  onKept,
}: {
  readonly secret: string | undefined
  /** Says what the secret is for; by default that it is the secret of an app. */
  readonly text?: string
  readonly label?: string
  readonly onKept: () => void
}) => (
  <Dialog isOpen={secret !== undefined} title={secretWords.title(label)}>
    <Stack>
      <Text size="sm">{text}</Text>
      <Copied value={secret ?? ''} what={label} />
      <Group justify="flex-end">
        <Button onClick={onKept}>{secretWords.kept}</Button>
      </Group>
    </Stack>
  </Dialog>
)
