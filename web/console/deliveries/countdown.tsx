import { useEffect, useState } from 'react'
import { sayDuration } from '../../parts/time.tsx'
import { consoleWords } from '../words.ts'

const { deliveries: say } = consoleWords

/** Shows the time that is left until `to`. Screen readers do not announce each change. */
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
