import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { words } from './words.ts'

const { turn: say } = words

interface TurnProps {
  /** Links: to the next page, where there is one, and to the first, where this is another. */
  readonly older: ReactNode
  readonly newest: ReactNode
}

/** The pages of a list that is read from the newest on, and has no numbers. */
export const Turn = ({ older, newest }: TurnProps) =>
  (older || newest) && (
    <Group component="nav" aria-label={say.label} justify="space-between" px="lg" py="sm">
      <span>{newest}</span>
      {older}
    </Group>
  )
