import type { AnyRouter } from '@tanstack/react-router'

/** Milliseconds to wait for the heading of a page that is still loading its data. */
const PATIENCE_MS = 10_000
const FIELDS = 'input, textarea, select, [contenteditable]'

/**
 * Moves the focus to the heading of each new page, because it would otherwise fall to the body: screen readers then
 * announce the page, and Tab goes on from there. A change of the query alone keeps the focus, and so does a page that
 * focuses a field of its own. Returns a function that stops this.
 */
export function followNavigation(router: AnyRouter): () => void {
  let stopWaiting = () => {}
  const stopListening = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return
    stopWaiting()
    const left = document.activeElement
    const isHeadingFocused = () => {
      const active = document.activeElement
      // The person has moved on already, or the page has focused a field.
      if (active !== document.body && (active !== left || active?.matches(FIELDS))) return true
      const heading = document.querySelector<HTMLElement>('#content h1')
      if (!heading) return false
      heading.tabIndex = -1
      heading.focus({ preventScroll: true })
      return true
    }
    if (isHeadingFocused()) return
    const observer = new MutationObserver(() => isHeadingFocused() && stopWaiting())
    const timer = setTimeout(() => stopWaiting(), PATIENCE_MS)
    stopWaiting = () => {
      clearTimeout(timer)
      observer.disconnect()
    }
    observer.observe(document.getElementById('content') ?? document.body, { childList: true, subtree: true })
  })
  return () => {
    stopWaiting()
    stopListening()
  }
}
