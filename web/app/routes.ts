import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { accountRoutes } from '../account/routes.ts'
import { adminRoutes } from '../admin/routes.ts'
import { consoleRoutes } from '../console/routes.ts'
import { dashboardRoutes } from '../dashboard/routes.ts'
import { root, signedIn } from '../parts/base-routes.ts'
import { plannerRoutes } from '../planner/routes.ts'
import { referenceRoutes } from '../reference/routes.ts'

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

/**
 * The tree of all routes; each area defines its own in `routes.ts`. The code of a page is loaded when the page is
 * opened.
 */
export const routeTree = root.addChildren([
  front,
  demoCallback,
  ...referenceRoutes,
  signedIn.addChildren([...dashboardRoutes, ...consoleRoutes, ...plannerRoutes, ...adminRoutes, ...accountRoutes]),
])
