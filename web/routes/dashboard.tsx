import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { signedIn } from './base.tsx'

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard',
  component: lazyRouteComponent(() => import('../classes/list-page.tsx'), 'ClassListPage'),
})

const classPage = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId',
  component: lazyRouteComponent(() => import('../classes/class-page.tsx'), 'ClassPage'),
})

export const dashboardRoutes = [dashboard, classPage] as const
