import { Button, Group, List, Stack, Text } from '@mantine/core'
import { Dialog } from '../../parts/dialog.tsx'
import { packageWords } from '../packages/words.ts'
import type { Replacement } from './package-changes.ts'

const { course: say, upload } = packageWords

const SHOWN = 10

interface ReplacementReportProps {
  readonly replacement: Replacement
  readonly onClose: () => void
}

/** Tells which lessons stayed, were added and were removed when a package was replaced. */
export const ReplacementReport = ({ replacement: { stayed, added, removed }, onClose }: ReplacementReportProps) => (
  <Dialog isOpen onClose={onClose} title={say.replaced}>
    <Stack>
      <List size="sm" spacing={4}>
        <List.Item>{say.stayed(stayed)}</List.Item>
        <Names text={say.wereAdded(added.length)} names={added} />
        <Names text={say.wereRemoved(removed.length)} names={removed} />
      </List>
      <Text size="sm">{say.keepTheirs}</Text>
      <Group justify="flex-end">
        <Button data-autofocus onClick={onClose}>
          {upload.done}
        </Button>
      </Group>
    </Stack>
  </Dialog>
)

const Names = ({ text, names }: { readonly text: string; readonly names: readonly string[] }) => (
  <List.Item>
    {text}
    {names.length > 0 && (
      <Text size="sm" c="dimmed">
        {names.slice(0, SHOWN).join(', ')}
        {names.length > SHOWN && ` ${say.more(names.length - SHOWN)}`}
      </Text>
    )}
  </List.Item>
)
