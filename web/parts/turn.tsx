import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { words } from './words.ts'

const { turn: say } = words

interface TurnProps {
  /** A link to the next page, which has older entries; empty on the last page. */
  readonly older: ReactNode
  /** A link back to the first page; empty on the first page. */
  readonly newest: ReactNode
}

/** Navigation for a list that is sorted newest first and uses cursors, so that it has no page numbers. */
export const Turn = ({ older, newest }: TurnProps) =>
  (older || newest) && (
    <Group component="nav" aria-label={say.label} justify="space-between" px="lg" py="sm">
      <span>{newest}</span>
      {older}
    </Group>
  )
