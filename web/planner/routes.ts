import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { load } from '../api/load.ts'
import { listPlannerEngines, listPlannerSearches, listPlans, readPlan, readPlannerSearch } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { signedIn } from '../parts/base-routes.ts'
import { known, pageFrom, sortFrom, textFrom } from '../parts/search.ts'

const planner = createRoute({
  getParentRoute: () => signedIn,
  path: '/planner',
  component: lazyRouteComponent(() => import('./ask-page.tsx'), 'AskPage'),
  validateSearch: (search): { page?: number } => known({ page: pageFrom(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { page = 1 } }) =>
    load({ engines: query(listPlannerEngines, {}) }, { searches: query(listPlannerSearches, { page, limit: 10 }) }),
})

const search = createRoute({
  getParentRoute: () => signedIn,
  path: '/planner/searches/$searchId',
  component: lazyRouteComponent(() => import('./search-page.tsx'), 'SearchPage'),
  validateSearch: (search): { compare?: string } => known({ compare: textFrom(search.compare) }),
  loader: ({ params: { searchId } }) => load({ search: query(readPlannerSearch, { searchId }) }),
})

const plans = createRoute({
  getParentRoute: () => signedIn,
  path: '/planner/plans',
  component: lazyRouteComponent(() => import('./plans-page.tsx'), 'PlansPage'),
  validateSearch: (search) => known({ page: pageFrom(search.page), sort: sortFrom(['name', 'changed'], search.sort) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { page = 1, ...order } }) => load({}, { plans: query(listPlans, { page, limit: 25, ...order }) }),
})

const plan = createRoute({
  getParentRoute: () => signedIn,
  path: '/planner/plans/$planId',
  component: lazyRouteComponent(() => import('./plan-page.tsx'), 'PlanPage'),
  validateSearch: (search): { compare?: string } => known({ compare: textFrom(search.compare) }),
  loader: ({ params: { planId } }) => load({ plan: query(readPlan, { planId }) }),
})

export const plannerRoutes = [planner, search, plans, plan] as const
