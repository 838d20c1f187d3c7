import { ActionIcon, CopyButton } from '@mantine/core'
import classes from './code.module.css'
import { Check, Copy } from './icons.tsx'
import { words } from './words.ts'

interface CodeProps {
  readonly value: string
  /** Names the copied text in the label of the button, such as `curl code`. */
  readonly what: string
}

/** Shows several lines of code with a button to copy them. Long lines scroll sideways, also by keyboard. */
export const Code = ({ value, what }: CodeProps) => (
  <div className={classes.block}>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
    <pre className={classes.code} tabIndex={0}>
      <code>{value}</code>
    </pre>
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <ActionIcon
          title={copied ? words.states.copied : words.states.copy(what)}
          className={classes.copy}
          variant="default"
          onClick={copy}
          aria-label={words.states.copy(what)}
        >
          {copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />}
        </ActionIcon>
      )}
    </CopyButton>
  </div>
)
