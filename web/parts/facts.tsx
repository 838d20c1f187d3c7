import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** A list of `Fact`s, each with a name and a value. */
export const Facts = ({ children }: { readonly children: ReactNode }) => <dl className={classes.facts}>{children}</dl>

export const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <div className={classes.fact}>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
