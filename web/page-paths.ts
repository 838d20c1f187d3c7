import { type AnyRoute, createRouter } from '@tanstack/react-router'

/** A variable keeps TypeScript from following the import into the pages, because the root project has no DOM types. */
const ROUTES = './app/routes.ts'

/** Lists every path of the router, such as `/console/apps/$clientId`. A path without a page redirects to another. */
export async function listPaths(): Promise<{ path: string; hasPage: boolean }[]> {
  const { routeTree } = (await import(ROUTES)) as { routeTree: AnyRoute }
  return Object.entries(createRouter({ routeTree }).routesByPath).map(([path, { options }]) => ({
    path,
    hasPage: options.component !== undefined,
  }))
}
