import { Modal } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, useEffect, useState } from 'react'
import classes from './dialog.module.css'
import { DialogForms, mayDiscard } from './unsaved.tsx'
import { words } from './words.ts'

const LARGE = '56rem'

export interface DialogProps {
  readonly isOpen: boolean
  readonly title: string
  /** If absent, only the buttons inside the dialog can close it. */
  readonly onClose?: () => void
  /** Whether the dialog holds a table, which needs more width than a form. */
  readonly isWide?: boolean
  /** `large` is for forms with long texts; it fills the screen of a phone. */
  readonly size?: 'large'
  readonly children: ReactNode
}

/**
 * The content of `Dialog`. It has its own head, because Mantine's would be a second banner landmark, which axe reports
 * as an error. If a form inside has changes, Escape, the close button and a click outside ask first.
 */
export function DialogBox({ isOpen, title, onClose, isWide = false, size, children }: DialogProps) {
  const [forms] = useState(() => new Set<() => boolean>())
  // Open after the first render: Mantine returns the focus only from dialogs that were closed before.
  const [isOpened, setOpened] = useState(false)
  useEffect(() => setOpened(isOpen), [isOpen])
  const isPhone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false })
  return (
    <Modal.Root
      opened={isOpened}
      onClose={() => onClose && mayDiscard(forms) && onClose()}
      closeOnClickOutside={onClose !== undefined}
      closeOnEscape={onClose !== undefined}
      centered
      size={size === 'large' ? LARGE : isWide ? 'xl' : 'md'}
      fullScreen={isPhone && size === 'large'}
      transitionProps={{ duration: 120 }}
    >
      <Modal.Overlay />
      <Modal.Content>
        <div className={classes.head}>
          <Modal.Title className={classes.title}>{title}</Modal.Title>
          {onClose && <Modal.CloseButton aria-label={words.states.close} />}
        </div>
        <Modal.Body>
          <DialogForms value={forms}>{children}</DialogForms>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
