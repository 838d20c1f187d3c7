import { Button, Group, Notification, Text, Transition } from '@mantine/core'
import { useEffect, useState, useSyncExternalStore } from 'react'
import classes from './notify.module.css'
import { words } from './words.ts'

interface Notice {
  readonly id: number
  readonly message: string
  readonly isProblem?: boolean
  readonly undo?: () => void
}

const SHOWN_MS = 5_000
/** Milliseconds for which Undo is offered: long enough to read the text, decide and press the button. */
const UNDO_MS = 12_000

let last = 0
let notices: readonly Notice[] = []
const listeners = new Set<() => void>()
const set = (next: readonly Notice[]): void => {
  notices = next
  for (const listener of listeners) listener()
}
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
const close = (id: number): void => set(notices.filter((one) => one.id !== id))
const add = (notice: Omit<Notice, 'id'>): void => set([...notices.slice(-3), { id: ++last, ...notice }])

/** Shows a message that something was done. */
export const notify = (message: string): void => add({ message })
/** Shows a message that something failed, for pages that have no better place for it. */
export const notifyProblem = (message: string): void => add({ message, isProblem: true })
/** Shows a message that something was done, with a button to undo it. */
export const offerUndo = (message: string, undo: () => void): void => add({ message, undo })

function NoticeCard({ id, message, isProblem = false, undo }: Notice) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    // Keep the message open while the pointer or the focus is on it.
    if (isHeld) return
    const timer = setTimeout(() => close(id), undo ? UNDO_MS : SHOWN_MS)
    return () => clearTimeout(timer)
  }, [id, isHeld, undo])
  const [hold, release] = [() => setHeld(true), () => setHeld(false)]
  return (
    <Transition mounted duration={120} transition="slide-up">
      {(style) => (
        <Notification
          style={style}
          color={isProblem ? 'red' : 'sky'}
          onClose={() => close(id)}
          onMouseEnter={hold}
          onMouseLeave={release}
          onFocus={hold}
          onBlur={release}
        >
          <Group justify="space-between" wrap="nowrap">
            <Text size="sm">{message}</Text>
            {undo && (
              <Button
                size="compact-sm"
                variant="light"
                flex="none"
                onClick={() => {
                  close(id)
                  undo()
                }}
              >
                {words.form.undo}
              </Button>
            )}
          </Group>
        </Notification>
      )}
    </Transition>
  )
}

/** Shows all messages, in a live region: screen readers announce new ones without moving the focus. */
export function Notices() {
  const shown = useSyncExternalStore(subscribe, () => notices)
  return (
    <div className={classes.notices} role="status">
      {shown.map((notice) => (
        <NoticeCard key={notice.id} {...notice} />
      ))}
    </div>
  )
}
