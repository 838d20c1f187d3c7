import { Button, Group, Stack, Text } from '@mantine/core'
import { Copied } from './copied.tsx'
import { Dialog } from './dialog.tsx'
import { words } from './words.ts'

/** A secret that nobody will see again: the dialog stays until somebody says that they have it. */
export const SecretShown = ({
  secret,
  text = words.secret.text,
  label = words.secret.label,
  onKept,
}: {
  readonly secret: string | undefined
  /** What it opens; by default the secret of an app. */
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
