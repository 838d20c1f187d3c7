import { type DragEvent, type ReactNode, useState } from 'react'
import classes from './drop-zone.module.css'

interface DropZoneProps {
  readonly onFiles: (files: readonly File[]) => void
  /** A text, and a button for people who do not drag. */
  readonly children: ReactNode
}

/** A place for dropped files. */
export function DropZone({ onFiles, children }: DropZoneProps) {
  const [isOver, setOver] = useState(false)
  const over = (event: DragEvent, is: boolean) => {
    event.preventDefault()
    setOver(is)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button does the same
    <div
      className={classes.drop}
      data-over={isOver || undefined}
      onDragOver={(event) => over(event, true)}
      onDragLeave={(event) => over(event, false)}
      onDrop={(event) => {
        over(event, false)
        onFiles([...event.dataTransfer.files])
      }}
    >
      {children}
    </div>
  )
}
