import { consoleWords } from '../words/console.ts'
import classes from './attempt-ticks.module.css'

const MOST = 12

interface AttemptTicksProps {
  readonly attempts: number
  readonly isDelivered: boolean
}

/** A tick for each time that it was sent, the last one green where it was taken. */
export function AttemptTicks({ attempts, isDelivered }: AttemptTicksProps) {
  const shown = Math.min(attempts, MOST)
  return (
    <span className={classes.line}>
      <svg className={classes.ticks} width={Math.max(shown, 1) * 6} height={16} aria-hidden="true">
        {Array.from({ length: shown }, (_, i) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: ticks stay where they are
            key={i}
            x={i * 6}
            width={4}
            height={16}
            rx={2}
            className={isDelivered && i === shown - 1 ? classes.taken : classes.refused}
          />
        ))}
      </svg>
      <span>{consoleWords.deliveries.attemptsOf(attempts, isDelivered)}</span>
    </span>
  )
}
