import { createRouter } from '@tanstack/react-router'
import { root } from '../parts/base-routes.ts'
import { Lines } from '../parts/states.tsx'
import { Frame } from './layout/frame.tsx'
import { BrokenPage, MissingPage } from './layout/missing-page.tsx'
import { routeTree } from './routes.ts'

// Before the frame itself there is nothing to show.
root.update({
  component: Frame,
  pendingComponent: () => null,
  notFoundComponent: MissingPage,
  errorComponent: BrokenPage,
})

export const router = createRouter({
  routeTree,
  scrollRestoration: true,
  // Pointing at a link loads its page and starts its reads. TanStack Query decides which answers are fresh enough.
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // The page that is left stays for this time; then placeholder lines take the place of the one that is coming.
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultPendingComponent: Lines,
  // Forms of one thing must not keep their values when the address names another.
  defaultRemountDeps: ({ params }) => params,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
