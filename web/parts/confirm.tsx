import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { words } from '../words/words.ts'
import { Dialog } from './dialog.tsx'
import { Problem } from './states.tsx'

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
  readonly onGo: () => void
  readonly onClose: () => void
}

/** Asks before something is lost. */
export function Confirm({ isOpen, title, children, go, isPending, error, word, onGo, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={title}>
      <Stack>
        {error && <Problem error={error} />}
        <Text size="sm" component="div">
          {children}
        </Text>
        {word !== undefined && (
          <TextInput label={say.type(word)} value={typed} onChange={(event) => setTyped(event.currentTarget.value)} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {say.cancel}
          </Button>
          <Button color="red" loading={isPending} disabled={word !== undefined && typed !== word} onClick={onGo}>
            {go}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
