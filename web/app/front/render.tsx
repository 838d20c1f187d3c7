import { createMemoryHistory, createRoute, createRouter } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { type Here, readHere } from '../../api/operations.ts'
import { query, queryClient } from '../../api/query.ts'
import { root } from '../../parts/base-routes.ts'
import { words } from '../../parts/words.ts'
import type { Article } from '../../reference/article-types.ts'
import { pathOf, SITE_PAGES } from '../../reference/guides.ts'
import { articleOf } from '../../reference/load-article.ts'
import { referenceRoutes } from '../../reference/routes.ts'
import { siteWords } from '../../reference/site-words.ts'
import { App } from '../app.tsx'
import { Frame } from '../layout/frame.tsx'
import { appWords } from '../words.ts'
import { inlineStyles } from './critical.ts'
import { CRITICAL_STYLE } from './critical-style.ts'
import { FrontPage } from './front-page.tsx'

/** Escapes nothing of a style sheet but the end of its element. */
const inElement = (css: string): string => css.replaceAll('</', '<\\/')

const front = createRoute({ getParentRoute: () => root, path: '/', component: FrontPage })
root.update({ component: Frame, notFoundComponent: () => null })
const routeTree = root.addChildren([front, ...referenceRoutes])

/** Returns the text of the heading of a rendered page. */
const headingOf = (html: string): string => /<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, '') ?? ''

/** Returns the title and the description of a rendered page, as HTML. */
function describe(path: string, html: string): string {
  if (path === '/') return `<title>${words.product}: ${appWords.front.title}</title>`
  const about = SITE_PAGES.find((page) => pathOf(page) === path)?.about ?? siteWords.lead
  return `<title>${headingOf(html)} · ${words.product}</title><meta name="description" content="${about}">`
}

/** The data that a page is rendered from. Only pages of the documentation have an article. */
interface PageData {
  readonly here: Here
  readonly article?: Article
}

let turn: Promise<unknown> = Promise.resolve()

/**
 * Renders the front page or a page of the documentation on the server, into the document of the web app, so that it can
 * be read before any style sheet or script arrives. The build makes this a module of its own (`web/build.ts`).
 */
export function renderPage(document: string, sheets: string, path: string, data: PageData): Promise<string> {
  // The cache of `readHere` is shared, so pages are rendered one after the other.
  const rendered = turn.then(() => render(path, data))
  turn = rendered.catch(() => {})
  return rendered.then((markup) => {
    const { html, css } = inlineStyles(markup, sheets)
    const links = document.match(/<link rel="stylesheet"[^>]*>/g) ?? []
    // A style sheet in the head would delay the first paint; at the end it does not.
    const text = links
      .reduce((text, link) => text.replace(link, ''), document)
      .replace(/<title>.*?<\/title>/, () => describe(path, html))
      .replace('</head>', () => `<style id="${CRITICAL_STYLE}" nonce="__NONCE__">${inElement(css)}</style></head>`)
      .replace('<div id="root"></div>', () => `<div id="root">${html}</div>${links.join('')}`)
    // The documentation can be read without JavaScript. The front page has buttons that need it.
    return path === '/' ? text : text.replace(/<noscript>.*?<\/noscript>/s, '')
  })
}

async function render(path: string, { here, article }: PageData): Promise<string> {
  queryClient.clear()
  queryClient.setQueryData(query(readHere, {}).queryKey, here)
  if (article) queryClient.setQueryData(articleOf(path.slice('/docs/'.length)).queryKey, article)
  const router = createRouter({
    routeTree,
    history: createMemoryHistory({ initialEntries: [path] }),
    isServer: true,
  })
  await router.load()
  return renderToString(<App router={router} nonce="__NONCE__" />)
}
