import { Button, Group, Stack, Text, Textarea } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Dialog } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/states.tsx'
import { words } from '../../parts/words.ts'
import { adminWords } from '../words.ts'

const { person: say } = adminWords
const { form } = words

interface ReasonDialogProps {
  readonly title: string
  /** A text that says what will happen. */
  readonly children: ReactNode
  readonly go: string
  readonly isDangerous?: boolean
  readonly isPending: boolean
  readonly error: Error | null
  readonly onGo: (reason: string) => void
  readonly onClose: () => void
}

/** Asks for a confirmation and a reason before an administrator changes somebody's account. */
export function ReasonDialog({
  title,
  children,
  go,
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
        <Stack>
          {error && <Problem error={error} />}
          <Text size="sm" component="div">
            {children}
          </Text>
          <Textarea
            label={say.reason}
            description={say.reasonHelp}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxLength={500}
            autosize
            minRows={2}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value.replaceAll('\n', ' '))}
            error={isMissing && reason.trim() === '' ? say.missingReason : undefined}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {form.cancel}
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
