import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DIST, FRONT, PATHS, STAMP } from '../../../../web/built.ts'
import { type Environment, provided } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { limitAddress, visitor } from '../callers/callers.ts'
import { sendAnswer } from '../output/answers.ts'
import { CODINGS, type Coding, isAccepted, varyByCoding } from '../output/codings.ts'
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
  /** Matches all paths that have a page. */
  readonly pages: RegExp
}

let loaded: Build | undefined
/**
 * Reads the whole build of the web app, 2 MB, once for both environments. A later build is only used by the next
 * process. Returns undefined if the web app was not built.
 */
function findBuild(): Build | undefined {
  if (loaded || !existsSync(join(DIST, STAMP))) return loaded
  const names = globSync('assets/*', { cwd: DIST }).sort()
  loaded = {
    frame: readFileSync(join(DIST, 'index.html'), 'utf8'),
    files: new Map(names.map((name) => [name, readFileSync(join(DIST, name))])),
    pages: pagesAt(JSON.parse(readFileSync(join(DIST, PATHS), 'utf8'))),
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
  return [...files].flatMap(([name, plain]): PlainRoute[] => {
    const type = TYPES[extname(name)]
    if (type === undefined) return []
    const codings = CODINGS.flatMap((coding) => {
      const bytes = files.get(`${name}${ENDINGS[coding]}`)
      return bytes ? [{ coding, bytes }] : []
    })
    const handle = (request: HttpRequest) => {
      limitAddress(environment, request)
      const coded = codings.find(({ coding }) => isAccepted(request, coding))
      const headers = {
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        vary: varyByCoding(request),
        ...(coded && { 'content-encoding': coded.coding }),
      }
      sendAnswer(environment, request, 200, headers, coded?.bytes ?? plain)
    }
    return [{ path: `/web/${name}`, name: 'asset', handle }]
  })
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
 * Paths that would be pages if the web app were built: the front page, everything below the areas, the API reference,
 * and the demo app. Paths such as `/planner/v1` are operations.
 */
const UNBUILT =
  /^\/(?:$|account(?:$|\/(?:profile|security|friends|children|data)(?:$|\/))|(?:dashboard|console|planner|admin)(?:$|\/(?!v\d+(?:$|\/)))|docs(?:\/\w+)?$|demo\/callback$)/

/** Tells whether the client navigates to a page: browsers then accept HTML, which scripts and other programs do not. */
export const wantsPage = ({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')

/**
 * Returns the content security policy: nothing from other hosts and nothing inline, except Mantine's style elements,
 * which have a nonce.
 */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "font-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

/** Renders the front page into the document of the web app (`web/app/front/render.tsx`). */
type RenderFront = (frame: string, sheets: string, data: unknown) => Promise<string>

/** Reads what the front page shows to visitors who are not signed in. */
export const frontReader = provided<() => Promise<unknown>>('what the front page shows')

const renderedFronts = new WeakMap<Environment, { readonly data: string; readonly text: Promise<string> }>()

/**
 * Returns the front page for visitors who are not signed in. It is rendered again only when its data changes. If it
 * cannot be rendered, visitors get the document of the web app, as on every other page.
 */
async function readFrontPage(environment: Environment, { frame, files }: Build): Promise<string> {
  try {
    const data = await environment.get(frontReader)()
    const last = renderedFronts.get(environment)
    if (last?.data === JSON.stringify(data)) return await last.text
    const { renderFront } = (await import(pathToFileURL(join(DIST, FRONT)).href)) as { renderFront: RenderFront }
    const sheets = [...files].filter(([name]) => name.endsWith('.css')).map(([, bytes]) => bytes.toString())
    const text = renderFront(frame, sheets.join('\n'), data)
    renderedFronts.set(environment, { data: JSON.stringify(data), text })
    return await text
  } catch (error) {
    renderedFronts.delete(environment)
    environment.log.warn({ err: error }, 'rendering the front page failed')
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

/** Sends the page for a path, or a page that says that there is none. */
export async function sendWebPage(environment: Environment, request: HttpRequest): Promise<void> {
  const path = request.url.split('?', 1)[0]!
  const isVisitor = path === '/' && !(await visitor.admit(environment, request, READING)).person
  if (path !== '/') limitAddress(environment, request)
  const found = findBuild()
  const isPage = (found?.pages ?? UNBUILT).test(path.length > 1 ? path.replace(/\/$/, '') : path)
  if (found === undefined)
    throw isPage
      ? fail('notReady', 'The pages were not built: install the development dependencies and start again')
      : fail('notFound', 'There is no page at this address')
  const nonce = randomBytes(16).toString('base64url')
  const headers = {
    'content-type': HTML_TYPE,
    'content-security-policy': policyOf(nonce),
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  }
  const text = isVisitor ? await readFrontPage(environment, found) : found.frame
  sendAnswer(environment, request, isPage ? 200 : 404, headers, text.replaceAll('__NONCE__', nonce))
}
