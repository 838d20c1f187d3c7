import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { oneOf, only, pageFrom } from '../parts/search.ts'
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

const appSettings = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId/settings',
  component: lazyRouteComponent(() => import('../apps/settings-page.tsx'), 'AppSettingsPage'),
})

const appSecrets = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId/secrets',
  component: lazyRouteComponent(() => import('../apps/secrets-page.tsx'), 'AppSecretsPage'),
})

const appSnippets = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/apps/$clientId/snippets',
  component: lazyRouteComponent(() => import('../apps/snippets-page.tsx'), 'AppSnippetsPage'),
  validateSearch: (search): { language?: 'curl' | 'typescript' | 'python' } =>
    only({ language: oneOf(['curl', 'typescript', 'python'], search.language) }),
})

const organisations = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/organisations',
  component: lazyRouteComponent(() => import('../organisations/list-page.tsx'), 'OrganisationListPage'),
})

const organisation = createRoute({
  getParentRoute: () => signedIn,
  path: '/console/organisations/$organisation',
  component: lazyRouteComponent(() => import('../organisations/organisation-page.tsx'), 'OrganisationPage'),
  validateSearch: (search): { page?: number } => only({ page: pageFrom(search.page) }),
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
] as const
