import { Table, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import { words } from './words.ts'

interface RowsProps {
  /** Name of the table for screen readers. */
  readonly label: string
  readonly head: readonly ReactNode[]
  /** Whether the last column contains actions. */
  readonly hasActions?: boolean
  /** Minimum width of the table in pixels. On narrower screens it scrolls sideways. */
  readonly minWidth?: number
  readonly children: ReactNode
}

/** A table of similar things. It scrolls inside its own box, also by keyboard. */
export const Rows = ({ label, head, hasActions = false, minWidth = 560, children }: RowsProps) => (
  <Table.ScrollContainer minWidth={minWidth} type="native" tabIndex={0} role="region" aria-label={label}>
    <Table highlightOnHover horizontalSpacing="lg">
      <Table.Thead>
        <Table.Tr>
          {head.map((title, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
            <Table.Th key={i}>{title}</Table.Th>
          ))}
          {hasActions && (
            <Table.Th>
              <VisuallyHidden>{words.form.actions}</VisuallyHidden>
            </Table.Th>
          )}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)

export const Row = ({ cells, className }: { readonly cells: readonly ReactNode[]; readonly className?: string }) => (
  <Table.Tr {...(className !== undefined && { className })}>
    {cells.map((cell, i) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
      <Table.Td key={i}>{cell}</Table.Td>
    ))}
  </Table.Tr>
)
