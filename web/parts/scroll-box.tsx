import { Box, type BoxProps } from '@mantine/core'
import type { ComponentProps } from 'react'
import classes from './scroll-box.module.css'

interface ScrollBoxProps extends BoxProps, Omit<ComponentProps<'div'>, keyof BoxProps> {
  /** Minimum width of the content in pixels. */
  readonly minWidth: number
}

/** A box that scrolls sideways, also by keyboard, where there is less room than its content needs. */
export const ScrollBox = ({ minWidth, children, ...box }: ScrollBoxProps) => (
  <Box className={`${classes.box} gs-scroll`} tabIndex={0} {...box}>
    <Box miw={minWidth}>{children}</Box>
  </Box>
)
