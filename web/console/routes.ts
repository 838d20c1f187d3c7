import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { signedIn } from '../parts/base-routes.ts'
import { flagFrom, known, matching, oneOf, pageFrom, textFrom, textsFrom } from '../parts/search.ts'

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
  // What an app of the sandbox fills in here. Each is named, also where it makes no sense: the router keeps what a check leaves out.
  validateSearch: (
    search,
  ): Partial<Record<'organisation' | 'name' | 'launch', string | undefined>> & {
    redirects?: readonly string[] | undefined
    public?: true | undefined
  } => ({
    organisation: textFrom(search.organisation, 60),
    name: textFrom(search.name, 200),
    redirects: textsFrom(search.redirects, 20),
    launch: textFrom(search.launch),
    public: flagFrom(search.public),
  }),
})

const app = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId',
  component: lazyRouteComponent(() => import('./apps/app-page.tsx'), 'AppPage'),
})

const appSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId/settings',
  component: lazyRouteComponent(() => import('./apps/settings-page.tsx'), 'AppSettingsPage'),
})

const appSecrets = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId/secrets',
  component: lazyRouteComponent(() => import('./apps/secrets-page.tsx'), 'AppSecretsPage'),
})

const appSnippets = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId/snippets',
  component: lazyRouteComponent(() => import('./apps/snippets-page.tsx'), 'AppSnippetsPage'),
  validateSearch: (search): { language?: 'curl' | 'typescript' | 'python' } =>
    known({ language: oneOf(['curl', 'typescript', 'python'], search.language) }),
})

const appUsers = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId/users',
  component: lazyRouteComponent(() => import('./apps/users-page.tsx'), 'AppUsersPage'),
  validateSearch: (search): { page?: number } => known({ page: pageFrom(search.page) }),
})

const appRequests = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId/requests',
  component: lazyRouteComponent(() => import('./apps/requests-page.tsx'), 'AppRequestsPage'),
  validateSearch: (search): { status?: string; code?: number; operation?: string; cursor?: string } =>
    known({
      status: matching(/^[1-5](\d\d|xx)$/, search.status),
      code: pageFrom(search.code, 999_999),
      operation: textFrom(search.operation, 200),
      cursor: matching(/^\d{1,15}$/, search.cursor),
    }),
})

const sandbox = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/sandbox',
  component: lazyRouteComponent(() => import('./sandbox/people-page.tsx'), 'SandboxPage'),
})

const organisations = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/organisations',
  component: lazyRouteComponent(() => import('./organisations/list-page.tsx'), 'OrganisationListPage'),
})

const organisation = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/organisations/$organisation',
  component: lazyRouteComponent(() => import('./organisations/organisation-page.tsx'), 'OrganisationPage'),
  validateSearch: (search): { page?: number } => known({ page: pageFrom(search.page) }),
})

const plugins = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins',
  component: lazyRouteComponent(() => import('./plugins/list-page.tsx'), 'PluginListPage'),
})

const newPlugin = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/new',
  component: lazyRouteComponent(() => import('./plugins/new-page.tsx'), 'NewPluginPage'),
})

const plugin = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/$clientId',
  component: lazyRouteComponent(() => import('./plugins/plugin-page.tsx'), 'PluginPage'),
})

const pluginSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/$clientId/settings',
  component: lazyRouteComponent(() => import('./plugins/settings-page.tsx'), 'PluginSettingsPage'),
})

const pluginPermissions = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/$clientId/permissions',
  component: lazyRouteComponent(() => import('./plugins/permissions-page.tsx'), 'PluginPermissionsPage'),
})

const pluginSecrets = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/$clientId/secrets',
  component: lazyRouteComponent(() => import('./plugins/secrets-page.tsx'), 'PluginSecretsPage'),
})

const deliveries = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/$clientId/deliveries',
  component: lazyRouteComponent(() => import('./deliveries/list-page.tsx'), 'DeliveryListPage'),
  validateSearch: (search): { state?: 'waiting' | 'delivered' | 'failed' | 'replaced'; page?: number } =>
    known({ state: oneOf(['waiting', 'delivered', 'failed', 'replaced'], search.state), page: pageFrom(search.page) }),
})

const delivery = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/plugins/$clientId/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./deliveries/delivery-page.tsx'), 'DeliveryPage'),
})

const ato = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/ato',
  component: lazyRouteComponent(() => import('./ato/list-page.tsx'), 'AtoPage'),
  validateSearch: (search): { app?: string; page?: number } =>
    known({ app: textFrom(search.app, 200), page: pageFrom(search.page) }),
})

const atoPackage = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/ato/packages/$packageId',
  component: lazyRouteComponent(() => import('./ato/package-page.tsx'), 'PackagePage'),
})

const atoRequest = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/ato/requests/$requestId',
  component: lazyRouteComponent(() => import('./ato/request-page.tsx'), 'RequestPage'),
})

/** The address that plugins are given as `reportUri`. */
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
  apps,
  newApp,
  app,
  appSettings,
  appSecrets,
  appSnippets,
  appUsers,
  appRequests,
  plugins,
  newPlugin,
  plugin,
  pluginSettings,
  pluginPermissions,
  pluginSecrets,
  deliveries,
  delivery,
  ato,
  atoPackage,
  atoRequest,
  atoReport,
  sandbox,
] as const
