import { randomBytes } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { DIST, STAMP } from '../../../web/built.ts'
import type { Environment } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { limitAddress } from '../callers/callers.ts'
import { sendAnswer } from '../output/answers.ts'
import { HTML_TYPE, ICON_TYPE, SCRIPT_TYPE, STYLE_TYPE } from '../output/media-types.ts'
import type { HttpRequest, PlainRoute } from '../request.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': SCRIPT_TYPE,
  '.css': STYLE_TYPE,
  '.svg': ICON_TYPE,
  '.woff2': 'font/woff2',
}
const CODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** What of the build is read once for both environments; a file when somebody first asks for it. */
const read = new Map<string, Promise<Buffer>>()
const readOnce = (path: string): Promise<Buffer> => {
  let content = read.get(path)
  if (!content) {
    content = readFile(path)
    // So that it is tried again.
    content.catch(() => read.delete(path))
    read.set(path, content)
  }
  return content
}

/** Scripts, styles and fonts of the pages. Their names change with their content, so browsers keep them for good. */
export function webAssetRoutes(environment: Environment): PlainRoute[] {
  const files = globSync('assets/*', { cwd: DIST }).filter((name) => extname(name) in TYPES)
  return files.sort().map((name): PlainRoute => {
    const path = join(DIST, name)
    const codings = CODINGS.filter(([, ending]) => existsSync(`${path}${ending}`))
    return {
      path: `/web/${name}`,
      name: 'asset',
      handle: async (request) => {
        limitAddress(environment, request)
        const coding = codings.find(([one]) => isAccepted(request, one))
        const headers = {
          'content-type': TYPES[extname(name)]!,
          'cache-control': 'public, max-age=31536000, immutable',
          vary: request.headers.origin === undefined ? 'Accept-Encoding' : 'Origin, Accept-Encoding',
          ...(coding && { 'content-encoding': coding[0] }),
        }
        sendAnswer(environment, request, 200, headers, await readOnce(`${path}${coding?.[1] ?? ''}`))
      },
    }
  })
}

const isAccepted = ({ headers }: HttpRequest, coding: string): boolean =>
  new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(?!\\.0*[1-9]))`, 'i').test(String(headers['accept-encoding'] ?? ''))

/** Where pages are: the front page, what lies below the areas, and the demo app. `/planner/v1` and the like are operations. */
const PAGES = /^\/(?:$|(?:dashboard|console|planner|admin)(?:$|\/(?!v\d+(?:$|\/)))|demo\/callback$)/

/** A browser that goes somewhere says that it wants HTML; scripts and programs do not. */
export const wantsPage = ({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean =>
  (method === 'GET' || method === 'HEAD') && /\btext\/html\b/i.test(headers.accept ?? '')

let frame: string | undefined
/** The document that all pages begin with; undefined where they were not built. */
function findFrame(): string | undefined {
  if (frame === undefined && existsSync(join(DIST, STAMP))) frame = readFileSync(join(DIST, 'index.html'), 'utf8')
  return frame
}

/** Nothing from elsewhere, nothing inline: Mantine's own style elements carry a number that is used once. */
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

/** Shows the page at an address; where there is none, the one that says so. */
export function sendWebPage(environment: Environment, request: HttpRequest): void {
  limitAddress(environment, request)
  const path = request.url.split('?', 1)[0]!
  const found = findFrame()
  const isPage = PAGES.test(path.length > 1 ? path.replace(/\/$/, '') : path)
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
  sendAnswer(environment, request, isPage ? 200 : 404, headers, found.replaceAll('__NONCE__', nonce))
}
