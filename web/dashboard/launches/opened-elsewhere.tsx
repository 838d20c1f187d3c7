import { Alert, Button, Stack, Text } from '@mantine/core'
import { ExternalLink } from '../../parts/icons.tsx'
import type { OpenContent } from './opening.ts'
import { launchWords } from './words.ts'

const { student: say } = launchWords

/** Says that content is open in another window, or links to it if the person has to open it. */
export function OpenedElsewhere({ content }: { readonly content: OpenContent }) {
  if (content.kind === 'frame') return null
  if (content.kind === 'window')
    return (
      <Alert role="status">
        <Text size="sm">{say.isElsewhere}</Text>
      </Alert>
    )
  const isApp = content.kind === 'app'
  return (
    <Alert role="status">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{isApp ? say.inApp : say.blocked}</Text>
        <Button
          component="a"
          size="sm"
          href={content.url}
          leftSection={<ExternalLink size={16} aria-hidden />}
          {...(!isApp && { target: '_blank', rel: 'noopener noreferrer' })}
        >
          {isApp ? say.openApp : say.openWindow}
        </Button>
      </Stack>
    </Alert>
  )
}
