import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { Frame } from './layout/frame.tsx'
import { leaveToSignIn, loadHere } from './layout/here.ts'
import { BrokenPage, MissingPage } from './layout/missing-page.tsx'

/** The pages' table of contents. Each is loaded when somebody goes there. */
const root = createRootRoute({
  component: Frame,
  notFoundComponent: MissingPage,
  errorComponent: BrokenPage,
  loader: loadHere,
})

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

/** Whoever is not signed in does that first, and comes back. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ location }) => {
    const { person } = await loadHere()
    if (!person) await leaveToSignIn(location.href)
  },
})

const dashboard = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard',
  component: lazyRouteComponent(() => import('./classes/list-page.tsx'), 'ClassListPage'),
})
const classPage = createRoute({
  getParentRoute: () => signedIn,
  path: '/dashboard/classes/$classId',
  component: lazyRouteComponent(() => import('./classes/class-page.tsx'), 'ClassPage'),
})

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
  component: lazyRouteComponent(() => import('./apps/list-page.tsx'), 'AppListPage'),
})
const newApp = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/new',
  component: lazyRouteComponent(() => import('./apps/new-page.tsx'), 'NewAppPage'),
})
const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId',
  component: lazyRouteComponent(() => import('./apps/app-page.tsx'), 'AppPage'),
})

const adminHome = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin',
  beforeLoad: () => {
    throw redirect({ to: '/admin/approvals', replace: true })
  },
})
const approvals = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/approvals',
  component: lazyRouteComponent(() => import('./apps/approvals-page.tsx'), 'ApprovalsPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    front,
    demoCallback,
    signedIn.addChildren([dashboard, classPage, consoleHome, apps, newApp, app, adminHome, approvals]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
