import { createRootRoute, createRoute } from '@tanstack/react-router'
import { leaveToSignIn, loadHere } from '../api/here.ts'

/** The root of all routes. `app/router.tsx` adds the frame, because files in `parts` must not import from `app`. */
export const root = createRootRoute({ loader: loadHere })

/**
 * The parent route of pages that need a sign-in. Visitors who are not signed in are sent to the sign-in page and come
 * back afterwards.
 */
export const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { person } = await loadHere()
    if (!person) await leaveToSignIn(location.href)
  },
})
