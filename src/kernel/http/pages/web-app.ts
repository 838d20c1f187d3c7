import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuiltSite, DIST, PATHS, PLAYER, RENDER, SITE, STAMP } from '../../../../web/built.ts'
import { type Environment, provided } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { limitAddress, visitor } from '../callers/callers.ts'
import { sendAnswer } from '../output/answers.ts'
import { CODINGS, type Coding, isAccepted, varyByCoding } from '../output/codings.ts'
import { COMPRESS } from '../output/compressed.ts'
import { HTML_TYPE, ICON_TYPE, JSON_TYPE, SCRIPT_TYPE, STYLE_TYPE } from '../output/media-types.ts'
import type { HttpRequest, PlainRoute } from '../request.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': SCRIPT_TYPE,
  '.css': STYLE_TYPE,
  '.svg': ICON_TYPE,
  '.woff2': 'font/woff2',
}
const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' }

interface Build {
  /** The HTML document that all pages of the web app share. */
  readonly frame: string
  readonly files: ReadonlyMap<string, Buffer>
  /** The files of the player of SCORM packages, which are served elsewhere. */
  readonly player: ReadonlyMap<string, Buffer>
  /** Matches all paths that have a page. */
  readonly pages: RegExp
  readonly site: BuiltSite
}

let loaded: Build | undefined
/**
 * Reads the whole build of the web app, 2 MB, once for both environments. A later build is only used by the next
 * process. Returns undefined if the web app was not built.
 */
export function findBuild(): Build | undefined {
  if (loaded || !existsSync(join(DIST, STAMP))) return loaded
  const read = (folder: string) =>
    new Map(
      globSync(`${folder}/*`, { cwd: DIST })
        .sort()
        .map((name) => [name, readFileSync(join(DIST, name))]),
    )
  loaded = {
    frame: readFileSync(join(DIST, 'index.html'), 'utf8'),
    files: read('assets'),
    player: read(PLAYER),
    pages: pagesAt(JSON.parse(readFileSync(join(DIST, PATHS), 'utf8'))),
    site: JSON.parse(readFileSync(join(DIST, SITE), 'utf8')),
  }
  return loaded
}

/**
 * Compiles the page paths into one pattern: `$clientId` in `/console/apps/$clientId` matches any single segment. Only
 * `$operationId` is limited to word characters.
 */
const pagesAt = (paths: readonly string[]): RegExp => {
  const place = (name: string) => (name === 'operationId' ? '\\w+' : '[^/]+')
  const patterns = paths.map((path) => RegExp.escape(path).replaceAll(/\\\$(\w+)/g, (_, name: string) => place(name)))
  return new RegExp(`^(?:${patterns.join('|')})$`)
}

/**
 * Creates the routes for scripts, styles and fonts of the web app. Their names change with their content, so browsers
 * may cache them forever.
 */
export function webAssetRoutes(environment: Environment): PlainRoute[] {
  const { files } = findBuild() ?? { files: new Map<string, Buffer>() }
  return [...files.keys()]
    .filter((name) => TYPES[extname(name)] !== undefined)
    .map((name) => {
      const send = buildAsset(name, files)
      const handle = (request: HttpRequest) => {
        limitAddress(environment, request)
        send(environment, request)
      }
      return { path: `/web/${name}`, name: 'asset', handle }
    })
}

type SendAsset = (environment: Environment, request: HttpRequest) => void

/** Returns a function that sends a file of the build, compressed if the browser takes that. */
function buildAsset(name: string, files: Build['files']): SendAsset {
  const plain = files.get(name)!
  const codings = CODINGS.flatMap((coding) => {
    const bytes = files.get(`${name}${ENDINGS[coding]}`)
    return bytes ? [{ coding, bytes }] : []
  })
  return (environment, request) => {
    const coded = codings.find(({ coding }) => isAccepted(request, coding))
    const headers = {
      'content-type': TYPES[extname(name)]!,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: varyByCoding(request),
      ...(coded && { 'content-encoding': coded.coding }),
    }
    sendAnswer(environment, request, 200, headers, coded?.bytes ?? plain)
  }
}

/** The player of SCORM packages. */
export interface BuiltPlayer {
  /** Names of its first script and its style. */
  readonly script: string
  readonly style: string
  /** Names of the scripts for each version of SCORM. */
  readonly runtimes: Readonly<Record<string, string | undefined>>
  /** Functions that send its files, by name. */
  readonly files: ReadonlyMap<string, SendAsset>
}

let player: BuiltPlayer | undefined
/** Returns the player of SCORM packages, or undefined if the pages were not built. */
export function findPlayer(): BuiltPlayer | undefined {
  const files = findBuild()?.player
  if (player || !files) return player
  const names = [...files.keys()].filter((name) => TYPES[extname(name)] !== undefined)
  const find = (pattern: RegExp) => names.map((name) => basename(name)).find((name) => pattern.test(name))
  player = {
    script: find(/^main-.*\.js$/)!,
    style: find(/\.css$/)!,
    runtimes: { scorm12: find(/^scorm12-/), scorm2004: find(/^scorm2004-/) },
    files: new Map(names.map((name) => [basename(name), buildAsset(name, files)])),
  }
  return player
}

/**
 * Creates the route for the font of pages that work without JavaScript. Its name is fixed. If the font is missing,
 * those pages use a system font.
 */
export const fontRoute = (environment: Environment): PlainRoute => ({
  path: '/web/inter.woff2',
  name: 'asset',
  handle: (request) => {
    limitAddress(environment, request)
    const found = [...(findBuild()?.files ?? [])].find(([name]) => name.startsWith('assets/inter-latin-wght-normal-'))
    if (!found) throw fail('notFound', 'The pages were not built')
    const headers = { 'content-type': TYPES['.woff2']!, 'cache-control': 'public, max-age=604800' }
    sendAnswer(environment, request, 200, headers, found[1])
  },
})

/**
 * Paths that would be pages if the web app were built: the front page, everything below the areas, the
 * documentation, and the demo app. Paths such as `/planner/v1` are operations.
 */
const UNBUILT =
  /^\/(?:$|account(?:$|\/(?:profile|security|friends|children|data)(?:$|\/))|(?:dashboard|console|planner|admin)(?:$|\/(?!v\d+(?:$|\/)))|docs(?:\/[\w/-]+)?$|demo\/callback$)/

/** Tells whether the client navigates to a page: browsers then accept HTML, which scripts and other programs do not. */
export const wantsPage = ({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')

/**
 * Returns the content security policy: nothing from other hosts, except uploaded files, and nothing inline, except
 * Mantine's style elements, which have a nonce. Frames may also show content packages of other servers. The policy is
 * that of the first page, because the browser loads no other document; so it is the same for all pages.
 */
const policyOf = (nonce: string, content = ''): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    `img-src 'self' data: blob: ${content}`.trim(),
    ...(content ? [`media-src ${content}`, `frame-src ${content} https:`] : []),
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

/** Renders a page into the document of the web app (`web/app/front/render.tsx`). */
type RenderPage = (frame: string, sheets: string, path: string, data: object) => Promise<string>

/** Reads what the front page shows to visitors who are not signed in. */
export const frontReader = provided<() => Promise<unknown>>('what the front page shows')

interface RenderedPage {
  readonly here: string
  readonly text: Promise<string>
}

const renderedPages = new WeakMap<Environment, Map<string, RenderedPage>>()

/**
 * Returns a page as visitors who are not signed in see it. It is rendered again only when its data changes. If it
 * cannot be rendered, visitors get the document of the web app, as on every other page.
 */
async function readRenderedPage(
  environment: Environment,
  { frame, files, site }: Build,
  path: string,
): Promise<string> {
  const rendered = renderedPages.get(environment) ?? new Map<string, RenderedPage>()
  renderedPages.set(environment, rendered)
  try {
    const here = await environment.get(frontReader)()
    const last = rendered.get(path)
    if (last?.here === JSON.stringify(here)) return await last.text
    const { renderPage } = (await import(pathToFileURL(join(DIST, RENDER)).href)) as { renderPage: RenderPage }
    const sheets = [...files].filter(([name]) => name.endsWith('.css')).map(([, bytes]) => bytes.toString())
    const article = site.documents.find((document) => document.path === path)?.article
    const text = renderPage(frame, sheets.join('\n'), path, { here, article })
    rendered.set(path, { here: JSON.stringify(here), text })
    return await text
  } catch (error) {
    rendered.delete(path)
    environment.log.warn({ err: error, path }, 'rendering a page failed')
    return frame
  }
}

/** Answers programs that ask for `/` with the name, the version and links. */
export function sendWelcome(environment: Environment, request: HttpRequest): void {
  const { url } = environment
  const links = { docs: `${url}/docs`, openapi: `${url}/openapi.json`, health: `${url}/healthz` }
  const body = JSON.stringify({ name: 'Groundschool', version: readVersion(), environment: environment.name, ...links })
  sendAnswer(environment, request, 200, { 'content-type': JSON_TYPE, vary: 'accept' }, `${body}\n`)
}

let version: string | undefined
const readVersion = (): string =>
  (version ??= JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')).version as string)

const READING = { isWrite: false, isEmbedded: false }

/**
 * Tells whether a page is rendered on the server: the front page for visitors who are not signed in, and the
 * documentation, except the API reference, for everybody.
 */
async function isRendered(environment: Environment, request: HttpRequest, path: string): Promise<boolean> {
  if (path === '/') return !(await visitor.admit(environment, request, READING)).person
  limitAddress(environment, request)
  return path === '/docs' || (findBuild()?.site.documents.some((document) => document.path === path) ?? false)
}

/** Sends the page for a path, or a page that says that there is none. */
export async function sendWebPage(environment: Environment, request: HttpRequest): Promise<void> {
  const path = request.url.split('?', 1)[0]!.replace(/(.)\/$/, '$1')
  const rendered = await isRendered(environment, request, path)
  const found = findBuild()
  const isPage = (found?.pages ?? UNBUILT).test(path)
  if (found === undefined)
    throw isPage
      ? fail('notReady', 'The pages were not built: install the development dependencies and start again')
      : fail('notFound', 'There is no page at this address')
  const nonce = randomBytes(16).toString('base64url')
  // Guides have up to 320 kB. The nonce differs each time, so a page cannot be compressed in advance. Other pages are
  // small.
  const coding = rendered ? CODINGS.find((one) => isAccepted(request, one)) : undefined
  const headers = {
    'content-type': HTML_TYPE,
    'content-security-policy': policyOf(nonce, environment.contentUrl),
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    ...(rendered && { vary: varyByCoding(request) }),
    ...(coding && { 'content-encoding': coding }),
  }
  const text = rendered ? await readRenderedPage(environment, found, path) : found.frame
  const html = text.replaceAll('__NONCE__', nonce)
  sendAnswer(environment, request, isPage ? 200 : 404, headers, coding ? await COMPRESS[coding](html, 4) : html)
}
