import { Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './dialog.module.css'
import { words } from './words.ts'

interface DialogProps {
  readonly isOpen: boolean
  readonly title: string
  /** If absent, only the buttons inside the dialog can close it. */
  readonly onClose?: () => void
  readonly children: ReactNode
}

/**
 * A modal dialog. It has its own head, because Mantine's would be a second banner landmark, which axe reports as an
 * error.
 */
export const Dialog = ({ isOpen, title, onClose, children }: DialogProps) => (
  <Modal.Root
    opened={isOpen}
    onClose={onClose ?? (() => {})}
    closeOnClickOutside={onClose !== undefined}
    closeOnEscape={onClose !== undefined}
    centered
    transitionProps={{ duration: 120 }}
  >
    <Modal.Overlay />
    <Modal.Content>
      <div className={classes.head}>
        <Modal.Title className={classes.title}>{title}</Modal.Title>
        {onClose && <Modal.CloseButton aria-label={words.states.close} />}
      </div>
      <Modal.Body>{children}</Modal.Body>
    </Modal.Content>
  </Modal.Root>
)
