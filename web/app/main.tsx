import '@fontsource-variable/inter/wght.css'
import './theme/mantine.css'
import './theme/base.css'
import { flushSync } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { Notices } from '../parts/notify.tsx'
import { App } from './app.tsx'
import { CRITICAL_STYLE } from './front/critical-style.ts'
import { SignInRequests } from './layout/sign-in-request.tsx'
import { router } from './router.tsx'

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

const root = document.getElementById('root')!
const start = () => {
  flushSync(() =>
    createRoot(root).render(
      <App router={router} nonce={nonce}>
        <Notices />
        <SignInRequests />
      </App>,
    ),
  )
  document.getElementById(CRITICAL_STYLE)?.remove()
}
// The server has rendered the front page. It stays until its code and data are loaded, so that nothing flashes.
if (root.hasChildNodes()) void router.load().then(start, start)
else start()
