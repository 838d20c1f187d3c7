import { createRouter } from '@tanstack/react-router'
import { root } from '../parts/base-routes.ts'
import { Lines } from '../parts/states.tsx'
import { Frame } from './layout/frame.tsx'
import { BrokenPage, MissingPage } from './layout/missing-page.tsx'
import { routeTree } from './routes.ts'

// Until the frame is loaded, nothing is shown.
root.update({
  component: Frame,
  pendingComponent: () => null,
  notFoundComponent: MissingPage,
  errorComponent: BrokenPage,
})

export const router = createRouter({
  routeTree,
  scrollRestoration: true,
  // When the pointer is over a link, its page and data are loaded in advance. TanStack Query decides which results are
  // still fresh.
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  // The old page stays for up to 200 ms while the new one loads; after that, placeholder lines are shown.
  defaultPendingMs: 200,
  defaultPendingMinMs: 0,
  defaultPendingComponent: Lines,
  // Create the page anew when a parameter of the path changes, so that its forms do not keep the values of another
  // record.
  defaultRemountDeps: ({ params }) => params,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
