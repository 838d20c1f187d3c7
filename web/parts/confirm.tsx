import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Problem } from './states.tsx'
import { words } from './words.ts'

const { form: say } = words

interface ConfirmProps {
  readonly isOpen: boolean
  readonly title: string
  /** What will be lost. */
  readonly children: ReactNode
  /** What the button does. */
  readonly go: string
  readonly isPending: boolean
  readonly error?: Error | null
  /** A word to type first, where there is no way back. */
  readonly word?: string
  /** What else must be given first, such as a password. */
  readonly proof?: ReactNode
  /** Nothing is lost by it. */
  readonly isHarmless?: boolean
  readonly onGo: () => void
  readonly onClose: () => void
}

/** Asks before something is lost, or cannot be taken back. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, title, children, go, isPending, error, word, proof, isHarmless = false, onGo, onClose } = props
  const [typed, setTyped] = useState('')
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          // It may stand in another form of the page, and React would tell that too.
          event.stopPropagation()
          if (word === undefined || typed === word) onGo()
        }}
      >
        <Stack>
          {error && <Problem error={error} />}
          <Text size="sm" component="div">
            {children}
          </Text>
          {word !== undefined && (
            <TextInput
              label={say.type(word)}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          )}
          {proof}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.cancel}
            </Button>
            <Button
              type="submit"
              {...(!isHarmless && { color: 'red' })}
              loading={isPending}
              disabled={word !== undefined && typed !== word}
            >
              {go}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
