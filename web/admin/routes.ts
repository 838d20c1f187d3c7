import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { signedIn } from '../parts/base-routes.ts'
import { flagFrom, known, matching, momentFrom, oneOf, pageFrom, textFrom } from '../parts/search.ts'

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
  component: lazyRouteComponent(() => import('./approvals/approvals-page.tsx'), 'ApprovalsPage'),
})

const people = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/people',
  component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
  validateSearch: (
    search,
  ): { query?: string; status?: 'active' | 'disabled'; role?: 'administrator' | 'developer'; page?: number } =>
    known({
      query: textFrom(search.query, 200),
      status: oneOf(['active', 'disabled'], search.status),
      role: oneOf(['administrator', 'developer'], search.role),
      page: pageFrom(search.page),
    }),
})

const person = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/people/$handle',
  component: lazyRouteComponent(() => import('./people/person-page.tsx'), 'PersonPage'),
})

const permissions = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/permissions',
  component: lazyRouteComponent(() => import('./permissions-page.tsx'), 'PermissionsPage'),
  validateSearch: (search): { page?: number } => known({ page: pageFrom(search.page) }),
})

const verbs = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/verbs',
  component: lazyRouteComponent(() => import('./verbs-page.tsx'), 'VerbsPage'),
  validateSearch: (search): { query?: string } => known({ query: textFrom(search.query, 200) }),
})

const recordStore = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/record-store',
  beforeLoad: () => {
    throw redirect({ to: '/admin/record-store/statements', replace: true })
  },
})

const STATEMENT_FILTERS = ['agent', 'verb', 'activity', 'registration'] as const

const statements = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/record-store/statements',
  component: lazyRouteComponent(() => import('./record-store/statements-page.tsx'), 'StatementsPage'),
  validateSearch: (
    search,
  ): { [Name in (typeof STATEMENT_FILTERS)[number] | 'since' | 'until' | 'cursor']?: string } & { live?: true } =>
    known({
      ...Object.fromEntries(STATEMENT_FILTERS.map((name) => [name, textFrom(search[name])])),
      since: momentFrom(search.since),
      until: momentFrom(search.until),
      cursor: matching(/^[\w-]+\.[\w-]+$/, search.cursor),
      live: flagFrom(search.live),
    }),
})

const statement = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/record-store/statements/$statementId',
  component: lazyRouteComponent(() => import('./record-store/statement-page.tsx'), 'StatementPage'),
})

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/record-store/keys',
  component: lazyRouteComponent(() => import('./record-store/keys-page.tsx'), 'CredentialsPage'),
  validateSearch: (search): { page?: number } => known({ page: pageFrom(search.page) }),
})

const AUDIT_FILTERS = ['action', 'handle', 'clientId'] as const

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/audit',
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  validateSearch: (search): { [Name in (typeof AUDIT_FILTERS)[number] | 'from' | 'to' | 'cursor']?: string } =>
    known({
      ...Object.fromEntries(AUDIT_FILTERS.map((name) => [name, textFrom(search[name], 200)])),
      from: momentFrom(search.from),
      to: momentFrom(search.to),
      // A moment and a number, in base64.
      cursor: matching(/^MjA[\w-]{28,60}$/, search.cursor),
    }),
})

const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/system',
  component: lazyRouteComponent(() => import('./system-page.tsx'), 'SystemPage'),
})

export const adminRoutes = [
  adminHome,
  approvals,
  people,
  person,
  permissions,
  verbs,
  recordStore,
  statements,
  statement,
  keys,
  audit,
  system,
] as const
