import { useEffect, useRef } from 'react'
import classes from './content-frame.module.css'

interface ContentFrameProps {
  /** The URL of a launch; only http and https. */
  readonly url: string
  /** Name of the content for screen readers. */
  readonly title: string
  readonly onFinished: () => void
}

/** Lets content do what lessons need, except navigate the page around it. */
const SANDBOX = 'allow-scripts allow-same-origin allow-forms allow-popups allow-downloads allow-modals'

/**
 * Shows the content of a package, which fills its box. When it has finished, it opens the return page of the platform
 * (src/records/launches/return-page.ts), which says so by a message. The sender decides, not the origin: content of
 * other servers returns to the content origin as well, and only this frame is the sender.
 */
export function ContentFrame({ url, title, onFinished }: ContentFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const finish = useRef(onFinished)
  finish.current = onFinished
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent) => {
      if (frame.current === null || source !== frame.current.contentWindow) return
      if ((data as { groundschool?: unknown } | null)?.groundschool === 'content-finished') finish.current()
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [])
  return (
    <iframe
      ref={frame}
      className={classes.frame}
      src={url}
      title={title}
      sandbox={SANDBOX}
      allow="fullscreen; autoplay"
      // Content often listens to keys.
      onLoad={() => frame.current?.focus()}
    />
  )
}
