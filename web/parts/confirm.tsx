import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Problem } from './states.tsx'
import { words } from './words.ts'

const { form: say } = words

interface ConfirmProps {
  readonly isOpen: boolean
  readonly title: string
  /** A text that says what will be lost. */
  readonly children: ReactNode
  /** Label of the button that confirms. */
  readonly go: string
  readonly isPending: boolean
  readonly error?: Error | null
  /** A word that the person has to type first, for actions that cannot be undone. */
  readonly word?: string
  /** A field in which the person proves who they are, such as a password field. */
  readonly proof?: ReactNode
  /** Whether nothing is lost, so that the button need not be red. */
  readonly isHarmless?: boolean
  readonly onGo: () => void
  readonly onClose: () => void
}

/** Asks for confirmation before an action that loses something or cannot be undone. */
export function Confirm(props: ConfirmProps) {
  const { isOpen, title, children, go, isPending, error, word, proof, isHarmless = false, onGo, onClose } = props
  const [typed, setTyped] = useState('')
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          // React events bubble through portals, so a form around this dialog would be submitted as well.
          event.stopPropagation()
          if (word === undefined || typed === word) onGo()
        }}
      >
        <Stack>
          {error && <Problem title={say.failed(go)} error={error} />}
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
