import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { signedIn } from './base.tsx'

const consoleHome = createRoute({
  getParentRoute: () => signedIn,
  path: '/console',
  beforeLoad: () => {
    throw redirect({ to: '/console/apps', replace: true })
  },
})

const apps = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps',
  component: lazyRouteComponent(() => import('../apps/list-page.tsx'), 'AppListPage'),
})

const newApp = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/new',
  component: lazyRouteComponent(() => import('../apps/new-page.tsx'), 'NewAppPage'),
})

const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId',
  component: lazyRouteComponent(() => import('../apps/app-page.tsx'), 'AppPage'),
})

export const consoleRoutes = [consoleHome, apps, newApp, app] as const
