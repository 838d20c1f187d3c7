import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Element = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps | keyof ButtonProps> & {
  readonly ref?: Ref<HTMLAnchorElement>
}

/** A link to another page, whose address the compiler checks. */
export const TextLink = createLink((props: AnchorProps & Element) => <Anchor {...props} />)

/** The same, as a button. */
export const ButtonLink = createLink((props: ButtonProps & Element) => <Button component="a" {...props} />)
