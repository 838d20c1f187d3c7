import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { words } from './words.ts'

const { turn: say } = words

interface TurnProps {
  /** Links to the next, older page, and back to the first one; empty if there is no such page. */
  readonly older: ReactNode
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
