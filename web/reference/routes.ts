import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { load } from '../api/load.ts'
import { openapi } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { root } from '../parts/base-routes.ts'

/** The frame of the API reference: the list of operations beside the chosen one. */
const frame = createRoute({
  getParentRoute: () => root,
  id: 'reference',
  component: lazyRouteComponent(() => import('./reference-frame.tsx'), 'ReferenceFrame'),
  // The pages read the document with `reference()`. Importing `reference` here would add its code to the first page of
  // every area.
  loader: () => load({ document: query(openapi, {}) }),
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
