import { Badge, VisuallyHidden } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { Clock } from '../../parts/icons.tsx'
import { quizWords } from './words.ts'

const { take: say } = quizWords
/** Minutes before the end at which the time left is announced. */
const WARNINGS = [10, 5, 1]

const secondsUntil = (endMs: number): number => Math.max(0, Math.ceil((endMs - Date.now()) / 1000))

interface CountdownProps {
  readonly deadline: string
  /** The server's time when the quiz was loaded, because the clock of the device may be wrong. */
  readonly now: string
  readonly onOver: () => void
}

/** Shows the time left, announces it calmly near the end, and calls `onOver` once. */
export function Countdown({ deadline, now, onOver }: CountdownProps) {
  // Milliseconds on the device's clock at which the time is over.
  const [endMs] = useState(() => Date.now() + Date.parse(deadline) - Date.parse(now))
  const [seconds, setSeconds] = useState(() => secondsUntil(endMs))
  const [announced, setAnnounced] = useState('')
  const over = useRef(onOver)
  over.current = onOver
  useEffect(() => {
    let before = secondsUntil(endMs)
    const timer = setInterval(() => {
      const left = secondsUntil(endMs)
      const warning = WARNINGS.find((minutes) => before > minutes * 60 && left <= minutes * 60)
      if (warning !== undefined) setAnnounced(say.warning(warning))
      before = left
      setSeconds(left)
      if (left > 0) return
      clearInterval(timer)
      over.current()
    }, 500)
    return () => clearInterval(timer)
  }, [endMs])
  return (
    <>
      <Badge
        size="lg"
        variant="light"
        color={seconds <= 60 ? 'red' : seconds <= 300 ? 'yellow' : 'gray'}
        leftSection={<Clock size={14} aria-hidden />}
        role="timer"
        aria-label={`${say.timer}: ${say.timeLeft(seconds)}`}
      >
        {say.timeLeft(seconds)}
      </Badge>
      <VisuallyHidden role="status">{announced}</VisuallyHidden>
    </>
  )
}
