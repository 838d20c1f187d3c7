import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedIn } from '../parts/base-routes.ts'
import { known, pageFrom, textFrom } from '../parts/search.ts'

const planner = createRoute({
  getParentRoute: () => signedIn,
  path: '/planner',
  component: lazyRouteComponent(() => import('./ask-page.tsx'), 'AskPage'),
  validateSearch: (search): { page?: number } => known({ page: pageFrom(search.page) }),
})

const search = createRoute({
  getParentRoute: () => signedIn,
  path: '/planner/searches/$searchId',
  component: lazyRouteComponent(() => import('./search-page.tsx'), 'SearchPage'),
  validateSearch: (search): { compare?: string } => known({ compare: textFrom(search.compare) }),
})

const plans = createRoute({
  getParentRoute: () => signedIn,
  path: '/planner/plans',
  component: lazyRouteComponent(() => import('./plans-page.tsx'), 'PlansPage'),
  validateSearch: (search): { page?: number } => known({ page: pageFrom(search.page) }),
})

const plan = createRoute({
  getParentRoute: () => signedIn,
  path: '/planner/plans/$planId',
  component: lazyRouteComponent(() => import('./plan-page.tsx'), 'PlanPage'),
  validateSearch: (search): { compare?: string } => known({ compare: textFrom(search.compare) }),
})

export const plannerRoutes = [planner, search, plans, plan] as const
