import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { load } from '../api/load.ts'
import {
  findPeople,
  getStatements,
  listApps,
  listAudit,
  listChangedApps,
  listCredentials,
  listOrganisationStorage,
  listPlugins,
  listVerbs,
  readOverview,
  readPerson,
  readStoreIdentity,
  readSystem,
} from '../api/operations.ts'
import { query } from '../api/query.ts'
import { signedIn } from '../parts/base-routes.ts'
import { flagFrom, known, matching, momentFrom, oneOf, pageFrom, sortFrom, textFrom } from '../parts/search.ts'
import type { ACTIONS } from './audit-words.ts'

const adminHome = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin',
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
  loader: () => load({ overview: query(readOverview, {}) }),
})

const approvals = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/approvals',
  component: lazyRouteComponent(() => import('./approvals/approvals-page.tsx'), 'ApprovalsPage'),
  loader: () =>
    load({
      waiting: query(listApps, { status: 'pending', limit: 100 }),
      changed: query(listChangedApps, { limit: 100 }),
    }),
})

const people = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/people',
  component: lazyRouteComponent(() => import('./people/people-page.tsx'), 'PeoplePage'),
  validateSearch: (search) =>
    known({
      query: textFrom(search.query, 200),
      status: oneOf(['active', 'invited', 'expired', 'uninvited', 'disabled'], search.status),
      role: oneOf(['administrator', 'developer'], search.role),
      sort: sortFrom(['name', 'created'], search.sort),
      page: pageFrom(search.page),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { page = 1, ...filters } }) =>
    load({}, { people: query(findPeople, { ...filters, page, limit: 25 }) }),
})

const person = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/people/$handle',
  component: lazyRouteComponent(() => import('./people/person-page.tsx'), 'PersonPage'),
  loader: ({ params: { handle } }) => load({ person: query(readPerson, { handle }) }),
})

const permissions = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/permissions',
  component: lazyRouteComponent(() => import('./permissions-page.tsx'), 'PermissionsPage'),
  validateSearch: (search): { page?: number } => known({ page: pageFrom(search.page) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { page = 1 } }) => load({}, { plugins: query(listPlugins, { page, limit: 50 }) }),
})

const verbs = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/verbs',
  component: lazyRouteComponent(() => import('./verbs-page.tsx'), 'VerbsPage'),
  validateSearch: (search) =>
    known({ query: textFrom(search.query, 200), sort: sortFrom(['name', 'iri', 'origin'], search.sort) }),
  loader: () => load({ verbs: query(listVerbs, {}) }),
})

const storage = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/storage',
  component: lazyRouteComponent(() => import('./storage-page.tsx'), 'StoragePage'),
  validateSearch: (search) =>
    known({
      query: textFrom(search.query, 200),
      sort: sortFrom(['name', 'used'], search.sort),
      page: pageFrom(search.page),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { page = 1, ...filters } }) =>
    load({}, { storage: query(listOrganisationStorage, { ...filters, page, limit: 50 }) }),
})

/** The frame of the record store: its title and its tabs. */
const recordStore = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/record-store',
  component: lazyRouteComponent(() => import('./record-store/store-frame.tsx'), 'StoreFrame'),
})

const recordStoreHome = createRoute({
  getParentRoute: () => recordStore,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/admin/record-store/statements', replace: true })
  },
})

const STATEMENT_FILTERS = ['agent', 'verb', 'activity', 'registration'] as const

const statements = createRoute({
  getParentRoute: () => recordStore,
  path: 'statements',
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
  loader: () =>
    load({
      identity: { ...query(readStoreIdentity, {}), staleTime: Number.POSITIVE_INFINITY },
      verbs: query(listVerbs, {}),
    }),
})

const statement = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/record-store/statements/$statementId',
  component: lazyRouteComponent(() => import('./record-store/statement-page.tsx'), 'StatementPage'),
  loader: ({ params: { statementId } }) => load({ statement: query(getStatements, { statementId }) }),
})

const keys = createRoute({
  getParentRoute: () => recordStore,
  path: 'keys',
  component: lazyRouteComponent(() => import('./record-store/keys-page.tsx'), 'CredentialsPage'),
  validateSearch: (search) =>
    known({ page: pageFrom(search.page), sort: sortFrom(['created', 'name', 'used', 'expires'], search.sort) }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps: { page = 1, ...order } }) =>
    load({}, { credentials: query(listCredentials, { page, limit: 50, ...order }) }),
})

const AUDIT_FILTERS = ['handle', 'clientId'] as const

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/audit',
  component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  validateSearch: (
    search,
  ): { [Name in (typeof AUDIT_FILTERS)[number] | 'from' | 'to' | 'cursor']?: string } & {
    action?: keyof typeof ACTIONS
  } =>
    known({
      // The platform refuses an unknown action, so that the words of all actions are not part of every page.
      action: matching(/^[a-z.-]{1,60}$/, search.action) as keyof typeof ACTIONS | undefined,
      ...Object.fromEntries(AUDIT_FILTERS.map((name) => [name, textFrom(search[name], 200)])),
      from: momentFrom(search.from),
      to: momentFrom(search.to),
      // A cursor is a timestamp and a number, encoded in base64; `MjA` is the beginning of a year 20xx.
      cursor: matching(/^MjA[\w-]{28,60}$/, search.cursor),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ deps }) => load({}, { entries: query(listAudit, { ...deps, limit: 50 }) }),
})

const system = createRoute({
  getParentRoute: () => signedIn,
  path: '/admin/system',
  component: lazyRouteComponent(() => import('./system-page.tsx'), 'SystemPage'),
  loader: () => load({ system: query(readSystem, {}) }),
})

export const adminRoutes = [
  adminHome,
  approvals,
  people,
  person,
  permissions,
  verbs,
  storage,
  recordStore.addChildren([recordStoreHome, statements, keys]),
  statement,
  audit,
  system,
] as const
