import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { loadHere } from '../api/here.ts'
import { load } from '../api/load.ts'
import {
  type App,
  listAppRequests,
  listApps,
  listAppUsers,
  listDeliveries,
  listOrganisationMembers,
  listOrganisations,
  listPlugins,
  listTestPeople,
  readApp,
  readAtoPackage,
  readAtoRequest,
  readDelivery,
  readOrganisation,
  readPlugin,
  readProvider,
} from '../api/operations.ts'
import { query, queryClient } from '../api/query.ts'
import { signedIn } from '../parts/base-routes.ts'
import { ownOrganisations } from '../parts/own-organisations.ts'
import { flagFrom, known, matching, oneOf, pageFrom, sortFrom, textFrom, textsFrom } from '../parts/search.ts'

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
  validateSearch: (search) => known({ sort: sortFrom(['name', 'status', 'users', 'created'], search.sort) }),
  loader: () => load({ apps: query(listApps, { limit: 100 }) }),
})

const newApp = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/new',
  component: lazyRouteComponent(() => import('./apps/new-page.tsx'), 'NewAppPage'),
  // The values that the form of a new app is prefilled with, such as by a link from the sandbox; the page checks scopes
  // and keys itself, so that other pages need not load the rules. Return every field,
  // even if it is undefined: for a missing field the router would pass on the unchecked value from the URL.
  validateSearch: (
    search,
  ): Partial<Record<'organisation' | 'name' | 'launch' | 'receiver', string | undefined>> & {
    redirects?: readonly string[] | undefined
    postLogout?: readonly string[] | undefined
    sid?: boolean | undefined
    scopes?: readonly string[] | undefined
    public?: true | undefined
    algorithm?: App['idTokenAlgorithm'] | undefined
    method?: 'private_key_jwt' | undefined
    keys?: unknown
  } => ({
    organisation: textFrom(search.organisation, 60),
    name: textFrom(search.name, 200),
    redirects: textsFrom(search.redirects, 20),
    scopes: textsFrom(search.scopes, 20),
    launch: textFrom(search.launch),
    public: flagFrom(search.public),
    postLogout: textsFrom(search.postLogout, 10),
    receiver: textFrom(search.receiver),
    sid: flagFrom(search.sid),
    algorithm: oneOf(['ES256', 'EdDSA'], search.algorithm),
    method: oneOf(['private_key_jwt'], search.method),
    keys: search.keys,
  }),
  loaderDeps: ({ search: { organisation } }) => ({ organisation }),
  loader: ({ deps: { organisation } }) => load({ organisations: ownOrganisations('developer', organisation) }),
})

/** The frame of an app: its name, its status and its tabs. */
const appFrame = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId',
  component: lazyRouteComponent(() => import('./apps/app-frame.tsx'), 'AppFrame'),
  loader: ({ params: { clientId } }) => load({ app: query(readApp, { clientId }) }),
})

const app = createRoute({
  getParentRoute: () => appFrame,
  path: '/',
  component: lazyRouteComponent(() => import('./apps/app-page.tsx'), 'AppPage'),
})

const appSettings = createRoute({
  getParentRoute: () => appFrame,
  path: 'settings',
  component: lazyRouteComponent(() => import('./apps/settings-page.tsx'), 'AppSettingsPage'),
})

const appSecrets = createRoute({
  getParentRoute: () => appFrame,
  path: 'secrets',
  component: lazyRouteComponent(() => import('./apps/secrets-page.tsx'), 'AppSecretsPage'),
})

const appSnippets = createRoute({
  getParentRoute: () => appFrame,
  path: 'snippets',
  component: lazyRouteComponent(() => import('./apps/snippets-page.tsx'), 'AppSnippetsPage'),
  validateSearch: (search): { language?: 'curl' | 'typescript' | 'python' } =>
    known({ language: oneOf(['curl', 'typescript', 'python'], search.language) }),
})

const appUsers = createRoute({
  getParentRoute: () => appFrame,
  path: 'users',
  component: lazyRouteComponent(() => import('./apps/users-page.tsx'), 'AppUsersPage'),
  validateSearch: (search) => known({ page: pageFrom(search.page), sort: sortFrom(['since'], search.sort) }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { clientId }, deps: { page = 1, ...order } }) =>
    load({}, { users: query(listAppUsers, { clientId, page, limit: 50, ...order }) }),
})

const appRequests = createRoute({
  getParentRoute: () => appFrame,
  path: 'requests',
  component: lazyRouteComponent(() => import('./apps/requests-page.tsx'), 'AppRequestsPage'),
  validateSearch: (search): { status?: string; code?: number; operation?: string; cursor?: string } =>
    known({
      status: matching(/^[1-5](\d\d|xx)$/, search.status),
      code: pageFrom(search.code, 999_999),
      operation: textFrom(search.operation, 200),
      cursor: matching(/^\d{1,15}$/, search.cursor),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { clientId }, deps }) =>
    load({}, { requests: query(listAppRequests, { clientId, limit: 50, ...deps }) }),
})

const sandbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/sandbox',
  component: lazyRouteComponent(() => import('./sandbox/people-page.tsx'), 'SandboxPage'),
  loader: async () => {
    const people = query(listTestPeople, {})
    // Production has no test people, and refuses to list them.
    return (await loadHere()).environment === 'sandbox' ? load({ people }) : { people }
  },
})

const organisations = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/organisations',
  component: lazyRouteComponent(() => import('./organisations/list-page.tsx'), 'OrganisationListPage'),
  validateSearch: (search) => known({ sort: sortFrom(['name', 'key', 'role'], search.sort) }),
  loader: () => load({ organisations: query(listOrganisations, { limit: 100 }) }),
})

const provider = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/organisations/$organisation/provider',
  component: lazyRouteComponent(() => import('./providers/provider-page.tsx'), 'ProviderPage'),
  loader: ({ params: { organisation } }) =>
    load({ organisation: query(readOrganisation, { organisation }), provider: query(readProvider, { organisation }) }),
})

const organisation = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/organisations/$organisation',
  component: lazyRouteComponent(() => import('./organisations/organisation-page.tsx'), 'OrganisationPage'),
  validateSearch: (search) =>
    known({
      query: textFrom(search.query, 200),
      status: oneOf(['active', 'invited', 'expired', 'uninvited', 'disabled'], search.status),
      role: oneOf(['owner', 'developer', 'instructor', 'member'], search.role),
      page: pageFrom(search.page),
      sort: sortFrom(['handle', 'name', 'role', 'status'], search.sort),
    }),
  loaderDeps: ({ search }) => search,
  loader: async ({ params: { organisation }, deps: { page = 1, ...filters } }) => {
    const pending = filters.status === 'invited' || filters.status === 'expired'
    const members = query(listOrganisationMembers, { organisation, page, limit: 50, pending, ...filters })
    const reads = await load({ organisation: query(readOrganisation, { organisation }) })
    // Only people who manage an organisation can list its members.
    const mayList = queryClient.getQueryData(reads.organisation.queryKey)?.may.manage
    return { ...reads, members, ...(mayList && (await load({}, { members }))) }
  },
})

const plugins = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins',
  component: lazyRouteComponent(() => import('./plugins/list-page.tsx'), 'PluginListPage'),
  validateSearch: (search) => known({ sort: sortFrom(['name', 'kind', 'created'], search.sort) }),
  loader: () => load({ plugins: query(listPlugins, { limit: 100 }) }),
})

const newPlugin = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/new',
  component: lazyRouteComponent(() => import('./plugins/new-page.tsx'), 'NewPluginPage'),
  loader: () => load({ organisations: ownOrganisations('developer') }),
})

/** The frame of a plugin: its name, its state and its tabs. */
const pluginFrame = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/$clientId',
  component: lazyRouteComponent(() => import('./plugins/plugin-frame.tsx'), 'PluginFrame'),
  loader: ({ params: { clientId } }) => load({ plugin: query(readPlugin, { clientId }) }),
})

const plugin = createRoute({
  getParentRoute: () => pluginFrame,
  path: '/',
  component: lazyRouteComponent(() => import('./plugins/plugin-page.tsx'), 'PluginPage'),
})

const pluginSettings = createRoute({
  getParentRoute: () => pluginFrame,
  path: 'settings',
  component: lazyRouteComponent(() => import('./plugins/settings-page.tsx'), 'PluginSettingsPage'),
})

const pluginPermissions = createRoute({
  getParentRoute: () => pluginFrame,
  path: 'permissions',
  component: lazyRouteComponent(() => import('./plugins/permissions-page.tsx'), 'PluginPermissionsPage'),
})

const pluginSecrets = createRoute({
  getParentRoute: () => pluginFrame,
  path: 'secrets',
  component: lazyRouteComponent(() => import('./plugins/secrets-page.tsx'), 'PluginSecretsPage'),
})

const deliveries = createRoute({
  getParentRoute: () => pluginFrame,
  path: 'deliveries',
  component: lazyRouteComponent(() => import('./deliveries/list-page.tsx'), 'DeliveryListPage'),
  validateSearch: (search) =>
    known({
      state: oneOf(['waiting', 'delivered', 'failed', 'replaced'], search.state),
      sort: sortFrom(['created'], search.sort),
      page: pageFrom(search.page),
    }),
  loaderDeps: ({ search }) => search,
  loader: ({ params: { clientId }, deps: { page = 1, ...filters } }) =>
    load({}, { deliveries: query(listDeliveries, { clientId, page, limit: 50, ...filters }) }),
})

const delivery = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/$clientId/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./deliveries/delivery-page.tsx'), 'DeliveryPage'),
  loader: ({ params: { clientId, deliveryId } }) => load({ delivery: query(readDelivery, { clientId, deliveryId }) }),
})

const ato = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/ato',
  component: lazyRouteComponent(() => import('./ato/list-page.tsx'), 'AtoPage'),
  validateSearch: (search): { app?: string; page?: number } =>
    known({ app: textFrom(search.app, 200), page: pageFrom(search.page) }),
  loader: () => load({ apps: query(listApps, { limit: 100 }) }),
})

const atoPackage = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/ato/packages/$packageId',
  component: lazyRouteComponent(() => import('./ato/package-page.tsx'), 'PackagePage'),
  loader: ({ params: { packageId } }) => load({ package: query(readAtoPackage, { packageId }) }),
})

const atoRequest = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/ato/requests/$requestId',
  component: lazyRouteComponent(() => import('./ato/request-page.tsx'), 'RequestPage'),
  loader: ({ params: { requestId } }) => load({ request: query(readAtoRequest, { requestId }) }),
})

/** The URL that plugins get as `reportUri`. It redirects to the page of the request. */
const atoReport = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/ato/$requestId',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/console/ato/requests/$requestId', params, replace: true })
  },
})

export const consoleRoutes = [
  consoleHome,
  organisations,
  organisation,
  provider,
  apps,
  newApp,
  appFrame.addChildren([app, appSettings, appSecrets, appSnippets, appUsers, appRequests]),
  plugins,
  newPlugin,
  pluginFrame.addChildren([plugin, pluginSettings, pluginPermissions, pluginSecrets, deliveries]),
  delivery,
  ato,
  atoPackage,
  atoRequest,
  atoReport,
  sandbox,
] as const
