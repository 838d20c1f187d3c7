import { Box, type BoxProps, Group, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './card.module.css'

interface CardProps extends BoxProps {
  readonly title?: string
  /** For links to it. */
  readonly id?: string
  readonly action?: ReactNode
  readonly children: ReactNode
  /** Up to the border: for tables and lists. */
  readonly isFlush?: boolean
  /** What cannot be taken back: red, and apart. */
  readonly isDanger?: boolean
}

/** A thing of its own on a page. */
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
