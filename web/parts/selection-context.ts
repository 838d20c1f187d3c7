import { createContext, type ReactNode } from 'react'

/** The id of a row, and its name for screen readers. */
export interface SelectableRow {
  readonly id: string
  readonly name: string
}

/**
 * The selected rows and the check boxes of a table. `selection.tsx` makes them, so that pages without a selection do
 * not load them.
 */
export interface SelectionBoxes {
  readonly has: (id: string) => boolean
  readonly headBox: ReactNode
  readonly boxOf: (row: SelectableRow) => ReactNode
}

/** Lets the rows of a table know its selection. */
export const SelectionContext = createContext<SelectionBoxes | undefined>(undefined)
