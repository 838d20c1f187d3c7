import '@fontsource-variable/inter/wght.css'
import './theme/mantine.css'
import './theme/base.css'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from '../api/query.ts'
import { Notices } from '../parts/notify.tsx'
import { SignInAgain } from './layout/sign-in-again.tsx'
import { router } from './router.tsx'
import { resolveVariables, theme } from './theme/theme.ts'

/** After a new build, files that this page refers to no longer exist. Reload the page, at most once in ten seconds. */
addEventListener('vite:preloadError', (event) => {
  const last = Number(sessionStorage.getItem('reloaded') ?? 0)
  if (Date.now() - last < 10_000) return
  sessionStorage.setItem('reloaded', String(Date.now()))
  event.preventDefault()
  location.reload()
})

const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''
// The library react-remove-scroll, which stops the page behind a dialog from scrolling, reads the CSP nonce from this
// global.
Object.assign(globalThis, { __webpack_nonce__: nonce })

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={resolveVariables}
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Notices />
        <SignInAgain />
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
