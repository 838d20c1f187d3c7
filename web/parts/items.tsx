import type { ReactNode } from 'react'
import classes from './items.module.css'

/** A short list whose entries have actions. Use `Rows` for long lists and for numbers. */
export const Items = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <ul className={classes.items} aria-label={label}>
    {children}
  </ul>
)

interface ItemProps {
  /** An avatar or an icon in front of the title. */
  readonly lead?: ReactNode
  readonly title: ReactNode
  readonly sub?: ReactNode
  readonly action?: ReactNode
  /** Details below the title, over the full width. */
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
