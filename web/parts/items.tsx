import type { ReactNode } from 'react'
import classes from './items.module.css'

/** A short list whose entries have something to do with them; for more than a screenful, and for figures, there is `Rows`. */
export const Items = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <ul className={classes.items} aria-label={label}>
    {children}
  </ul>
)

interface ItemProps {
  /** An avatar or an icon. */
  readonly lead?: ReactNode
  readonly title: ReactNode
  readonly sub?: ReactNode
  readonly action?: ReactNode
  /** What belongs to it, over the whole width. */
  readonly below?: ReactNode
}

export const Item = ({ lead, title, sub, action, below }: ItemProps) => (
  <li className={classes.item}>
    {lead}
    <div className={classes.text}>
      <div className={classes.title}>{title}</div>
      {sub && <div className={classes.sub}>{sub}</div>}
    </div>
    {action}
    {below && <div className={classes.below}>{below}</div>}
  </li>
)
