import { useNavigate } from '@tanstack/react-router'
import type { AnchorHTMLAttributes, MouseEvent } from 'react'

/** Tells whether a click has no modifier key. Clicks with one open a new tab or window. */
const isPlain = (event: MouseEvent): boolean =>
  event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

/** Tells whether an address is a page of the documentation, and not a file such as `/docs/errors.md`. */
const isPage = (href: string): boolean => /^(?:\/docs(?:[/#][^.]*)?$|#)/.test(href)

type DocLinkProps = AnchorHTMLAttributes<HTMLAnchorElement> & { readonly href: string }

/**
 * A link whose address comes from a document, so TypeScript cannot check it. It opens pages of the documentation
 * without loading a new document.
 */
export function DocLink({ href, onClick, ...rest }: DocLinkProps) {
  const navigate = useNavigate()
  return (
    <a
      {...rest}
      href={href}
      onClick={(event) => {
        onClick?.(event)
        if (!isPage(href) || !isPlain(event)) return
        event.preventDefault()
        void navigate(href.startsWith('#') ? { to: '.', hash: href.slice(1) } : { href })
      }}
    />
  )
}
