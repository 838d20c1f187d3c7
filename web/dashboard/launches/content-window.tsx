import { ActionIcon, Alert, Button, Portal, VisuallyHidden } from '@mantine/core'
import { useEffect, useId, useRef } from 'react'
import { ContentFrame } from '../../parts/content-frame.tsx'
import { ArrowLeft, Maximize2 } from '../../parts/icons.tsx'
import classes from './content-window.module.css'
import { launchWords } from './words.ts'

const { window: say } = launchWords

interface ContentWindowProps {
  readonly url: string
  /** Name of the lesson. */
  readonly title: string
  /** Says when the platform saved something last; undefined if that is not known. */
  readonly saved: string | undefined
  /** Says why the content can record nothing more; undefined while it can. */
  readonly problem?: string | undefined
  /** Goes back: the person leaves, or the content has finished. */
  readonly onClose: () => void
}

/** Shows content in the whole window of the browser, below a bar that leads back. The page behind it is inert. */
export function ContentWindow({ url, title, saved, problem, onClose }: ContentWindowProps) {
  const box = useRef<HTMLElement>(null)
  const name = useId()
  useEffect(() => {
    const root = document.getElementById('root')!
    const { overflow } = document.body.style
    root.inert = true
    document.body.style.overflow = 'hidden'
    return () => {
      root.inert = false
      document.body.style.overflow = overflow
    }
  }, [])
  const fillScreen = () =>
    void (document.fullscreenElement ? document.exitFullscreen() : box.current?.requestFullscreen())?.catch(() => {})
  return (
    <Portal>
      <section ref={box} className={classes.window} role="dialog" aria-modal="true" aria-labelledby={name}>
        <div className={classes.bar}>
          <Button
            size="compact-sm"
            variant="default"
            flex="none"
            leftSection={<ArrowLeft size={16} aria-hidden />}
            onClick={onClose}
          >
            {say.back}
            <span className={classes.long}>&nbsp;{say.backTo}</span>
          </Button>
          <h2 id={name} className={classes.title} title={title}>
            {title}
          </h2>
          <span className={classes.saved} role="status">
            {saved}
          </span>
          {document.fullscreenEnabled && (
            <ActionIcon variant="subtle" color="gray" flex="none" onClick={fillScreen} title={say.fullScreen}>
              <Maximize2 size={18} aria-hidden />
              <VisuallyHidden>{say.fullScreen}</VisuallyHidden>
            </ActionIcon>
          )}
        </div>
        {problem !== undefined && (
          <Alert color="yellow" role="alert" radius={0}>
            {problem}
          </Alert>
        )}
        <ContentFrame url={url} title={title} onFinished={onClose} />
      </section>
    </Portal>
  )
}
