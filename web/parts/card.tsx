import { Box, type BoxProps, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './card.module.css'

interface CardProps extends BoxProps {
  readonly title?: string
  /** An id that links can jump to. */
  readonly id?: string
  readonly action?: ReactNode
  readonly children: ReactNode
  /** Whether the content reaches the border, as tables and lists do. */
  readonly isFlush?: boolean
  /** Whether the card holds actions that cannot be undone. Such a card is red and set apart. */
  readonly isDanger?: boolean
}

/** A section of a page, with a border. */
export const Card = ({ title, action, children, isFlush = false, isDanger = false, ...box }: CardProps) => (
  <Box component="section" className={classes.card} data-danger={isDanger || undefined} {...box}>
    {title !== undefined && (
      <Group justify="space-between" className={classes.head}>
        <Title order={2}>{title}</Title>
        {action}
      </Group>
    )}
    <div className={isFlush ? undefined : classes.body}>{children}</div>
  </Box>
)
