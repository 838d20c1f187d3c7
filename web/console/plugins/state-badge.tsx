import { Badge } from '@mantine/core'
import type { Plugin } from '../../api/operations.ts'
import { Ban, CircleCheck, CirclePause } from '../../parts/icons.tsx'
import { consoleWords } from '../words.ts'

const { plugins: say } = consoleWords

export function PluginStateBadge({ plugin }: { readonly plugin: Pick<Plugin, 'active' | 'status'> }) {
  const [color, Icon, word] =
    plugin.status === 'suspended'
      ? (['red', Ban, say.suspended] as const)
      : plugin.active
        ? (['green', CircleCheck, say.active] as const)
        : (['gray', CirclePause, say.inactive] as const)
  return (
    <Badge color={color} leftSection={<Icon size={13} aria-hidden />}>
      {word}
    </Badge>
  )
}
