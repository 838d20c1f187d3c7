import { createRouter } from '@tanstack/react-router'
import { root } from '../parts/base-routes.ts'
import { Frame } from './layout/frame.tsx'
import { BrokenPage, MissingPage } from './layout/missing-page.tsx'
import { routeTree } from './routes.ts'

root.update({ component: Frame, notFoundComponent: MissingPage, errorComponent: BrokenPage })

export const router = createRouter({ routeTree, defaultPreload: 'intent', scrollRestoration: true })

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
