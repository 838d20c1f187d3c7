import { type AnyRoute, createRouter } from '@tanstack/react-router'

/** The root project has no DOM types, so TypeScript must not follow this import into the pages. */
const ROUTES = './app/routes.ts'

/** Every path of the router, such as `/console/apps/$clientId`; one without a page redirects. */
export async function listPaths(): Promise<{ path: string; hasPage: boolean }[]> {
  const { routeTree } = (await import(ROUTES)) as { routeTree: AnyRoute }
  return Object.entries(createRouter({ routeTree }).routesByPath).map(([path, { options }]) => ({
    path,
    hasPage: options.component !== undefined,
  }))
}
