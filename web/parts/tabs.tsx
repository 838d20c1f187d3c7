import type { ReactNode } from 'react'
import classes from './tabs.module.css'

/** The pages of one thing, side by side; each has an address of its own. */
export const Tabs = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <nav aria-label={label} className={classes.tabs}>
    {children}
  </nav>
)

/** For a `Link` in it: how it looks, and when it is the open one. */
export const tab = { className: classes.tab!, activeOptions: { exact: true, includeSearch: false } } as const

/** The same for lists at one address, which the query tells apart. */
export const listTab = { className: classes.tab!, activeOptions: { exact: true, includeSearch: true } } as const
