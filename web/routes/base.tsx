import { createRootRoute, createRoute } from '@tanstack/react-router'
import { Frame } from '../layout/frame.tsx'
import { leaveToSignIn, loadHere } from '../layout/here.ts'
import { BrokenPage, MissingPage } from '../layout/missing-page.tsx'

export const root = createRootRoute({
  component: Frame,
  notFoundComponent: MissingPage,
  errorComponent: BrokenPage,
  loader: loadHere,
})

/** Whoever is not signed in does that first, and comes back. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { person } = await loadHere()
    if (!person) await leaveToSignIn(location.href)
  },
})
