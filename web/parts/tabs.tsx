import type { ReactNode } from 'react'
import classes from './tabs.module.css'

/** The pages of one thing as tabs; each has its own URL. */
export const Tabs = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <nav aria-label={label} className={classes.tabs}>
    {children}
  </nav>
)

/** Props of a `Link` in `Tabs`. */
export const tab = { className: classes.tab!, activeOptions: { exact: true, includeSearch: false } } as const

/** Props of a `Link` in `Tabs` for lists at one path that differ in the query. */
export const listTab = { className: classes.tab!, activeOptions: { exact: true, includeSearch: true } } as const
