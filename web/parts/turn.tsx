import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { words } from './words.ts'

const { turn: say } = words

interface TurnProps {
  /** Links to the next page and back to the first; empty where there is none. */
  readonly older: ReactNode
  readonly newest: ReactNode
}

/** The navigation of a list with cursors, newest first, which has no page numbers. */
export const Turn = ({ older, newest }: TurnProps) =>
  (older || newest) && (
    <Group component="nav" aria-label={say.label} justify="space-between" px="lg" py="sm">
      <span>{newest}</span>
      {older}
    </Group>
  )
