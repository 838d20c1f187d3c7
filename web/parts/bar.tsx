import classes from './bar.module.css'

interface BarProps {
  /** Length of the bar, from 0 to 1. */
  readonly share: number
  /** Length of a lighter bar behind the first, from 0 to 1. */
  readonly behind?: number
}

const clip = (share: number): number => Math.max(0, Math.min(1, share)) * 100

/** A small bar beside a number. It is hidden from screen readers, which read the number. */
export const Bar = ({ share, behind }: BarProps) => (
  <svg viewBox="0 0 100 8" preserveAspectRatio="none" className={classes.bar} aria-hidden="true">
    <rect width="100" height="8" className={classes.ground} />
    {behind !== undefined && <rect width={clip(behind)} height="8" className={classes.behind} />}
    <rect width={clip(share)} height="8" className={classes.share} />
  </svg>
)
