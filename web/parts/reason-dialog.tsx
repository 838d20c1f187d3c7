import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Dialog } from './dialog.tsx'
import { Problem } from './states.tsx'
import { Unsaved } from './unsaved.tsx'
import { words } from './words.ts'

const { form: say } = words

interface ReasonDialogProps {
  readonly title: string
  /** A text that says what will happen. */
  readonly children: ReactNode
  readonly go: string
  /** A text that says who reads the reason. */
  readonly help: string
  readonly isDangerous?: boolean
  readonly isPending: boolean
  readonly error: Error | null
  readonly onGo: (reason: string) => void
  readonly onClose: () => void
}

/** Asks for a confirmation and a reason before an administrator changes somebody's account or app. */
export function ReasonDialog({
  title,
  children,
  go,
  help,
  isDangerous = false,
  isPending,
  error,
  onGo,
  onClose,
}: ReasonDialogProps) {
  const [reason, setReason] = useState('')
  const [isMissing, setMissing] = useState(false)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (reason.trim() === '') return setMissing(true)
    onGo(reason.trim())
  }
  return (
    <Dialog isOpen title={title} onClose={onClose}>
      <form onSubmit={submit} noValidate>
        <Unsaved hasChanges={() => reason.trim() !== ''} />
        <Stack>
          {error && <Problem title={say.failed(go)} error={error} />}
          <Text size="sm" component="div">
            {children}
          </Text>
          <Textarea
            label={say.reason}
            description={help}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={250}
            autosize
            minRows={2}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value.replaceAll('\n', ' '))}
            error={isMissing && reason.trim() === '' ? say.missingReason : undefined}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {say.cancel}
            </Button>
            <Button type="submit" loading={isPending} {...(isDangerous && { color: 'red' })}>
              {go}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
