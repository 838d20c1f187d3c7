import { Table, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { type ComponentProps, type ReactNode, useContext } from 'react'
import { ArrowDown, ArrowUp, ArrowUpDown } from './icons.tsx'
import classes from './rows.module.css'
import { ScrollBox } from './scroll-box.tsx'
import { type SelectionBoxes, SelectionContext } from './selection-context.ts'
import type { Sort } from './sorted.ts'
import { words } from './words.ts'

/** A column whose head is a button that sorts the list. */
interface SortableColumn {
  readonly title: string
  readonly sort: string
}

interface RowsProps {
  /** Name of the table for screen readers. */
  readonly label: string
  readonly head: readonly (ReactNode | SortableColumn)[]
  /** Whether the last column contains actions. */
  readonly hasActions?: boolean
  /** Minimum width of the table in pixels. On narrower screens it scrolls sideways. */
  readonly minWidth?: number
  /** The order of the list; needed if a column is sortable. */
  readonly sort?: Sort
  /** Which rows are selected, if rows can be selected. */
  readonly selection?: SelectionBoxes
  readonly children: ReactNode
}

/** A table of similar things. It scrolls inside its own box, also by keyboard. */
export const Rows = ({ label, head, hasActions = false, minWidth = 560, sort, selection, children }: RowsProps) => (
  <SelectionContext value={selection}>
    <ScrollBox minWidth={minWidth} role="region" aria-label={label}>
      <Table highlightOnHover horizontalSpacing="lg" className={classes.table!} data-actions={hasActions || undefined}>
        <Table.Thead>
          <Table.Tr>
            {selection && <Table.Th className={classes.check!}>{selection.headBox}</Table.Th>}
            {head.map((column, i) =>
              isSortable(column) && sort ? (
                <SortHead key={column.sort} column={column} sort={sort} />
              ) : (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                <Table.Th key={i}>{isSortable(column) ? column.title : column}</Table.Th>
              ),
            )}
            {hasActions && (
              <Table.Th>
                <VisuallyHidden>{words.form.actions}</VisuallyHidden>
              </Table.Th>
            )}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </ScrollBox>
  </SelectionContext>
)

const isSortable = (column: ReactNode | SortableColumn): column is SortableColumn =>
  typeof column === 'object' && column !== null && 'title' in column && 'sort' in column

const DIRECTIONS = { ascending: ArrowUp, descending: ArrowDown, none: ArrowUpDown } as const

/** Returns how a list is sorted by a column. */
export const directionOf = (column: string, by: string): keyof typeof DIRECTIONS =>
  by === column ? 'ascending' : by === `-${column}` ? 'descending' : 'none'

interface SortButtonProps extends ComponentProps<'button'> {
  readonly column: SortableColumn
  readonly sort: Sort
}

/** Sorts a list by a column; if it is sorted by that column, reverses the order. */
export function SortButton({ column: { title, sort: name }, sort: { by, onChange }, ...button }: SortButtonProps) {
  const direction = directionOf(name, by)
  const Icon = DIRECTIONS[direction]
  return (
    <UnstyledButton
      className={classes.sort!}
      data-sorted={direction !== 'none' || undefined}
      onClick={() => onChange(direction === 'ascending' ? `-${name}` : name)}
      {...button}
    >
      <span>{title}</span>
      <Icon size={14} aria-hidden />
    </UnstyledButton>
  )
}

const SortHead = ({ column, sort }: { readonly column: SortableColumn; readonly sort: Sort }) => (
  <Table.Th aria-sort={directionOf(column.sort, sort.by)}>
    <SortButton column={column} sort={sort} />
  </Table.Th>
)

interface RowProps {
  readonly cells: readonly ReactNode[]
  readonly className?: string
  /** Id and name of the row, in a table whose rows can be selected. */
  readonly select?: { readonly id: string; readonly name: string }
}

export function Row({ cells, className, select }: RowProps) {
  const selection = useContext(SelectionContext)
  const isSelected = select !== undefined && selection?.has(select.id) === true
  return (
    <Table.Tr className={`${classes.row} ${className ?? ''}`} data-selected={isSelected || undefined}>
      {selection && <Table.Td className={classes.check!}>{select && selection.boxOf(select)}</Table.Td>}
      {cells.map((cell, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
        <Table.Td key={i}>{cell}</Table.Td>
      ))}
    </Table.Tr>
  )
}
