import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../parts/base-routes.ts'

/** The list of operations stays beside them. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'reference',
  component: lazyRouteComponent(() => import('./reference-frame.tsx'), 'ReferenceFrame'),
})
const overview = createRoute({
  getParentRoute: () => frame,
  path: '/docs',
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
})
const one = createRoute({
  getParentRoute: () => frame,
  path: '/docs/$operationId',
  component: lazyRouteComponent(() => import('./operation-page.tsx'), 'OperationPage'),
})
const callback = createRoute({
  getParentRoute: () => root,
  path: '/docs/callback',
  component: lazyRouteComponent(() => import('./callback-page.tsx'), 'CallbackPage'),
})

export const referenceRoutes = [frame.addChildren([overview, one]), callback] as const
