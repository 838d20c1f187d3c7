import { useEffect, useState } from 'react'
import { sayDuration } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'

const { deliveries: say } = consoleWords

/** Seconds until a moment. Screen readers read it once and not every second. */
export function Countdown({ to }: { readonly to: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  const seconds = Math.round((new Date(to).getTime() - now) / 1000)
  return (
    <time dateTime={to} aria-live="off">
      {seconds <= 0 ? say.now : say.inTime(sayDuration(seconds))}
    </time>
  )
}
