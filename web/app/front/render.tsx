import { createMemoryHistory, createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { type Here, readHere } from '../../api/operations.ts'
import { query, queryClient } from '../../api/query.ts'
import { words } from '../../parts/words.ts'
import { App } from '../app.tsx'
import { Frame } from '../layout/frame.tsx'
import { appWords } from '../words.ts'
import { inlineStyles } from './critical.ts'
import { CRITICAL_STYLE } from './critical-style.ts'
import { FrontPage } from './front-page.tsx'

/** Escapes nothing of a style sheet but the end of its element. */
const inElement = (css: string): string => css.replaceAll('</', '<\\/')

let turn: Promise<unknown> = Promise.resolve()

/**
 * Renders the front page on the server, into the document of the web app, so that it can be read before any style sheet
 * or script arrives. The build makes this a module of its own (`web/build.ts`).
 */
export function renderFront(document: string, sheets: string, here: Here): Promise<string> {
  // The cache of `readHere` is shared, so pages are rendered one after the other.
  const rendered = turn.then(() => render(here))
  turn = rendered.catch(() => {})
  return rendered.then((markup) => {
    const { html, css } = inlineStyles(markup, sheets)
    const links = document.match(/<link rel="stylesheet"[^>]*>/g) ?? []
    // A style sheet in the head would delay the first paint; at the end it does not.
    return links
      .reduce((text, link) => text.replace(link, ''), document)
      .replace(/<title>.*?<\/title>/, () => `<title>${words.product}: ${appWords.front.title}</title>`)
      .replace('</head>', () => `<style id="${CRITICAL_STYLE}" nonce="__NONCE__">${inElement(css)}</style></head>`)
      .replace('<div id="root"></div>', () => `<div id="root">${html}</div>${links.join('')}`)
  })
}

async function render(here: Here): Promise<string> {
  queryClient.clear()
  queryClient.setQueryData(query(readHere, {}).queryKey, here)
  const root = createRootRoute({ component: Frame })
  const front = createRoute({ getParentRoute: () => root, path: '/', component: FrontPage })
  const router = createRouter({
    routeTree: root.addChildren([front]),
    history: createMemoryHistory({ initialEntries: ['/'] }),
    isServer: true,
  })
  await router.load()
  return renderToString(<App router={router} nonce="__NONCE__" />)
}
