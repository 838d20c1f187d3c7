import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { load } from '../api/load.ts'
import { openapi } from '../api/operations.ts'
import { query } from '../api/query.ts'
import { root } from '../parts/base-routes.ts'

const frames = () => import('./site-frame.tsx')
const documents = () => import('./document-page.tsx')
/** Importing `loadArticle` here would add the list of guides to the first page of every area. */
const loadArticle = async (key: string) => (await import('./load-article.ts')).loadArticle(key)

/** The frame of the documentation: the menu beside the chosen page. */
const site = createRoute({
  getParentRoute: () => root,
  id: 'site',
  component: lazyRouteComponent(frames, 'SiteFrame'),
})
const landing = createRoute({
  getParentRoute: () => site,
  path: '/docs',
  component: lazyRouteComponent(documents, 'LandingPage'),
})
const guide = createRoute({
  getParentRoute: () => site,
  path: '/docs/guides/$guide',
  component: lazyRouteComponent(documents, 'GuidePage'),
  loader: ({ params }) => loadArticle(`guides/${params.guide}`),
})
const errors = createRoute({
  getParentRoute: () => site,
  path: '/docs/errors',
  component: lazyRouteComponent(documents, 'ErrorsPage'),
  loader: () => loadArticle('errors'),
})
const changelog = createRoute({
  getParentRoute: () => site,
  path: '/docs/changelog',
  component: lazyRouteComponent(documents, 'ChangelogPage'),
  loader: () => loadArticle('changelog'),
})

const reference = createRoute({
  getParentRoute: () => site,
  id: 'reference',
  component: lazyRouteComponent(frames, 'ReferenceFrame'),
  // The pages read the document with `reference()`. Importing `reference` here would add its code to the first page of
  // every area.
  loader: () => load({ document: query(openapi, {}) }),
})
const overview = createRoute({
  getParentRoute: () => reference,
  path: '/docs/reference',
  component: lazyRouteComponent(() => import('./overview-page.tsx'), 'OverviewPage'),
})
const one = createRoute({
  getParentRoute: () => reference,
  path: '/docs/$operationId',
  component: lazyRouteComponent(() => import('./operation-page.tsx'), 'OperationPage'),
})
const callback = createRoute({
  getParentRoute: () => root,
  path: '/docs/callback',
  component: lazyRouteComponent(() => import('./callback-page.tsx'), 'CallbackPage'),
})

export const referenceRoutes = [
  site.addChildren([landing, guide, errors, changelog, reference.addChildren([overview, one])]),
  callback,
] as const
