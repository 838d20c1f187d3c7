import { ActionIcon, CopyButton, Group, Text } from '@mantine/core'
import classes from './copied.module.css'
import { Check, Copy } from './icons.tsx'
import { words } from './words.ts'

interface CopiedProps {
  readonly value: string
  /** Names the copied text in the label of the button, such as `client ID`. */
  readonly what: string
}

/** Shows a value such as an id, a secret or a URL, with a button to copy it. */
export const Copied = ({ value, what }: CopiedProps) => (
  <Group gap={4} wrap="nowrap" className={classes.line}>
    <Text component="code" className={classes.code}>
      {value}
    </Text>
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <ActionIcon
          title={copied ? words.states.copied : words.states.copy(what)}
          variant="subtle"
          color="gray"
          onClick={copy}
          aria-label={words.states.copy(what)}
        >
          {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        </ActionIcon>
      )}
    </CopyButton>
  </Group>
)
