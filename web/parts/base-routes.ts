import { createRootRoute, createRoute } from '@tanstack/react-router'
import { leaveToSignIn, loadHere } from '../api/here.ts'

/**
 * The root of all pages. `app/router.tsx` adds the frame, which lists the areas and therefore cannot be imported here.
 */
export const root = createRootRoute({ loader: loadHere })

/** Pages for people who are signed in. Others sign in first and come back. */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { person } = await loadHere()
    if (!person) await leaveToSignIn(location.href)
  },
})
