import { consoleWords } from '../words.ts'
import classes from './attempt-ticks.module.css'

interface AttemptTicksProps {
  readonly attempts: number
  readonly outcomes: readonly ('taken' | 'refused')[]
  readonly isDelivered: boolean
}

/** Draws one tick for each of the latest attempts, green for success. */
export function AttemptTicks({ attempts, outcomes, isDelivered }: AttemptTicksProps) {
  return (
    <span className={classes.line}>
      <svg className={classes.ticks} width={Math.max(outcomes.length, 1) * 6} height={16} aria-hidden="true">
        {outcomes.map((outcome, i) => (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: ticks stay where they are
            key={i}
            x={i * 6}
            width={4}
            height={16}
            rx={2}
            className={outcome === 'taken' ? classes.taken : classes.refused}
          />
        ))}
      </svg>
      <span>{consoleWords.deliveries.attemptsOf(attempts, isDelivered)}</span>
    </span>
  )
}
