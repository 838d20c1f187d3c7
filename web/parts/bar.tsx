import classes from './bar.module.css'

interface BarProps {
  /** From 0 to 1. */
  readonly share: number
  /** A lighter one behind it. */
  readonly behind?: number
}

const clip = (share: number): number => Math.max(0, Math.min(1, share)) * 100

/** A small bar beside the number that it draws, which is what screen readers read. */
export const Bar = ({ share, behind }: BarProps) => (
  <svg viewBox="0 0 100 8" preserveAspectRatio="none" className={classes.bar} aria-hidden="true">
    <rect width="100" height="8" className={classes.ground} />
    {behind !== undefined && <rect width={clip(behind)} height="8" className={classes.behind} />}
    <rect width={clip(share)} height="8" className={classes.share} />
  </svg>
)
