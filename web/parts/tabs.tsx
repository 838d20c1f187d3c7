import type { ReactNode } from 'react'
import classes from './tabs.module.css'

/** Tabs that link to the pages of one thing. Each tab has its own URL. */
export const Tabs = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <nav aria-label={label} className={`${classes.tabs} gs-scroll`}>
    {children}
  </nav>
)

/** Props of a `Link` in `Tabs` whose pages have different paths. */
export const tab = { className: classes.tab!, activeOptions: { exact: true, includeSearch: false } } as const

/** Props of a `Link` in `Tabs` whose pages have the same path but a different query. */
export const listTab = { className: classes.tab!, activeOptions: { exact: true, includeSearch: true } } as const
