import { useEffect, useRef, useState } from 'react'
import { Card } from '../../parts/card.tsx'
import { RichPage } from '../content/rich-page.tsx'
import { contentWords as say } from '../content/words.ts'
import { CompletionBar } from './completion-bar.tsx'
import type { LessonProps } from './lesson-props.ts'
import { useCompletion } from './use-completion.ts'

/** How long the end of a page must be visible. So a short page is not read at a glance. */
const READING_MS = 3000

/** Shows a page. It is read when its end was visible for a moment, with all images above it loaded. */
export function PageLesson(props: LessonProps) {
  const { text = '', files = [] } = props.lesson
  const completion = useCompletion(props)
  const page = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const isAtEnd = useIsVisible(end)
  const complete = useRef(completion.complete)
  complete.current = completion.complete
  const isWaiting = completion.state === 'open' && !completion.isPending && completion.error === null
  useEffect(() => {
    if (!isAtEnd || !isWaiting) return
    const timer = setInterval(() => {
      const images = [...(page.current?.querySelectorAll('img') ?? [])]
      if (document.visibilityState === 'visible' && images.every((image) => image.complete)) complete.current()
    }, READING_MS)
    return () => clearInterval(timer)
  }, [isAtEnd, isWaiting])
  return (
    <Card>
      <div ref={page}>
        <RichPage text={text} files={files} />
        <div ref={end} style={{ height: 1 }} />
      </div>
      <CompletionBar completion={completion} text={say.readText} done={say.isRead} go={say.markRead} />
    </Card>
  )
}

function useIsVisible(element: { readonly current: Element | null }): boolean {
  const [isVisible, setVisible] = useState(false)
  useEffect(() => {
    if (!element.current) return
    const observer = new IntersectionObserver(([entry]) => setVisible(entry?.isIntersecting === true))
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return isVisible
}
