import { Drawer } from '@mantine/core'
import { type ReactNode, useEffect, useState } from 'react'
import classes from './dialog.module.css'
import { DialogForms, mayDiscard } from './unsaved.tsx'
import { words } from './words.ts'

export interface PanelProps {
  readonly isOpen: boolean
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/**
 * The content of `Panel`: like `DialogBox`, but at the side, so that the row it is about stays visible. Escape closes
 * it. If a form inside has changes, closing asks first. The page returns the focus, because what is shown can change.
 */
export function PanelBox({ isOpen, title, onClose, children }: PanelProps) {
  const [forms] = useState(() => new Set<() => boolean>())
  // Open after the first render: Mantine returns the focus only from panels that were closed before.
  const [isOpened, setOpened] = useState(false)
  useEffect(() => setOpened(isOpen), [isOpen])
  return (
    <Drawer.Root
      opened={isOpened}
      onClose={() => mayDiscard(forms) && onClose()}
      position="right"
      returnFocus={false}
      size="md"
      transitionProps={{ duration: 120 }}
    >
      <Drawer.Overlay backgroundOpacity={0.2} />
      <Drawer.Content>
        <div className={classes.head}>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          <Drawer.CloseButton aria-label={words.states.close} />
        </div>
        <Drawer.Body>
          <DialogForms value={forms}>{children}</DialogForms>
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
