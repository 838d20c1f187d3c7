import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedIn } from '../parts/base-routes.ts'
import { known, oneOf } from '../parts/search.ts'

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
})

const profile = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/profile',
  component: lazyRouteComponent(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
})

const security = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/security',
  component: lazyRouteComponent(() => import('./security/security-page.tsx'), 'SecurityPage'),
})

const LISTS = ['received', 'sent', 'blocked'] as const
/** Which list of friends is shown; the friends themselves where nothing is said. */
const listFrom = (search: Record<string, unknown>): { list?: (typeof LISTS)[number] } =>
  known({ list: oneOf(LISTS, search.list) })

const friends = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/friends',
  component: lazyRouteComponent(() => import('./friends/friends-page.tsx'), 'FriendsPage'),
  validateSearch: listFrom,
})

const children = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/children',
  component: lazyRouteComponent(() => import('./children/children-page.tsx'), 'ChildrenPage'),
})

const child = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/children/$handle',
  component: lazyRouteComponent(() => import('./children/child-page.tsx'), 'ChildPage'),
})

const childFriends = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/children/$handle/friends',
  component: lazyRouteComponent(() => import('./children/child-friends-page.tsx'), 'ChildFriendsPage'),
  validateSearch: listFrom,
})

const data = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/data',
  component: lazyRouteComponent(() => import('./data/data-page.tsx'), 'DataPage'),
})

export const accountRoutes = [overview, profile, security, friends, children, child, childFriends, data] as const
