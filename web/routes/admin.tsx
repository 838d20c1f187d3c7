import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { signedIn } from './base.tsx'

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
  component: lazyRouteComponent(() => import('../apps/approvals-page.tsx'), 'ApprovalsPage'),
})

export const adminRoutes = [adminHome, approvals] as const
