import { createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoutes } from './routes/account.tsx'
import { adminRoutes } from './routes/admin.tsx'
import { root, signedIn } from './routes/base.tsx'
import { consoleRoutes } from './routes/console.tsx'
import { dashboardRoutes } from './routes/dashboard.tsx'
import { plannerRoutes } from './routes/planner.tsx'
import { referenceRoutes } from './routes/reference.tsx'

/** The pages' table of contents; each area has its own in `routes/`. A page is loaded when somebody goes there. */
const front = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./front/front-page.tsx'), 'FrontPage'),
})
const demoCallback = createRoute({
  getParentRoute: () => root,
  path: '/demo/callback',
  component: lazyRouteComponent(() => import('./demo/callback-page.tsx'), 'CallbackPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    front,
    demoCallback,
    ...referenceRoutes,
    signedIn.addChildren([...dashboardRoutes, ...consoleRoutes, ...plannerRoutes, ...adminRoutes, ...accountRoutes]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
