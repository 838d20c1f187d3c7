import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, Ref } from 'react'

type Element = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps | keyof ButtonProps> & {
  readonly ref?: Ref<HTMLAnchorElement>
}

/** A text link to another page. TypeScript checks that the path exists. */
export const TextLink = createLink((props: AnchorProps & Element) => <Anchor {...props} />)

/** A button that links to another page. TypeScript checks that the path exists. */
export const ButtonLink = createLink((props: ButtonProps & Element) => <Button component="a" {...props} />)
