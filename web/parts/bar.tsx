import classes from './bar.module.css'

interface BarProps {
  /** Between 0 and 1. */
  readonly share: number
  /** A lighter bar behind it, between 0 and 1. */
  readonly behind?: number
}

const clip = (share: number): number => Math.max(0, Math.min(1, share)) * 100

/** A small bar beside a number. Screen readers read the number. */
export const Bar = ({ share, behind }: BarProps) => (
  <svg viewBox="0 0 100 8" preserveAspectRatio="none" className={classes.bar} aria-hidden="true">
    <rect width="100" height="8" className={classes.ground} />
    {behind !== undefined && <rect width={clip(behind)} height="8" className={classes.behind} />}
    <rect width={clip(share)} height="8" className={classes.share} />
  </svg>
)
