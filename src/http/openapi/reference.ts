import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import swagger from 'swagger-ui-dist/package.json' with { type: 'json' }
import type { Environment } from '../../environment.ts'
import { limitAddress } from '../callers/callers.ts'
import type { Interface } from '../interface.ts'
import { type Headers, sendAnswer } from '../output/answers.ts'
import { etagOf, hasAlready } from '../output/etags.ts'
import { HTML_TYPE, JSON_TYPE, SCRIPT_TYPE, STYLE_TYPE } from '../output/media-types.ts'
import type { HttpRequest, PlainRoute } from '../request.ts'
import { describeApi } from './openapi.ts'
import { PAGE, PAGE_POLICY, PAGE_SCRIPT, PAGE_STYLE } from './reference-page.ts'

const FOLDER = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
/** The two files of Swagger UI that the page needs; nothing else of it is reachable. */
const FILES = { 'swagger-ui-bundle.js': SCRIPT_TYPE, 'swagger-ui.css': STYLE_TYPE }

/** The interface described for programs at /openapi.json and for people at /docs, all of it from this server. */
export function referenceRoutes(environment: Environment, all: Interface): PlainRoute[] {
  // Described when somebody asks: most processes are never asked.
  let description: string | undefined
  const describe = () => (description ??= JSON.stringify(describeApi(all, { url: environment.url })))
  const text = (path: string, name: string, type: string, read: () => string, headers: Headers = {}): PlainRoute => ({
    path,
    name,
    handle: (request) => {
      limitAddress(environment, request)
      const content = read()
      sendKept(
        environment,
        request,
        { tag: etagOf(content), seconds: 300, headers: { 'content-type': type, ...headers } },
        content,
      )
    },
  })
  return [
    text('/openapi.json', 'openapi', JSON_TYPE, describe),
    text('/docs', 'docs', HTML_TYPE, () => PAGE, { 'content-security-policy': PAGE_POLICY }),
    text('/docs/page.js', 'docs', SCRIPT_TYPE, () => PAGE_SCRIPT),
    text('/docs/page.css', 'docs', STYLE_TYPE, () => PAGE_STYLE),
    ...Object.entries(FILES).map(([name, type]) => fileRoute(environment, name, type)),
  ]
}

const fileRoute = (environment: Environment, name: string, type: string): PlainRoute => ({
  path: `/docs/${name}`,
  name: 'docs',
  handle: async (request) => {
    limitAddress(environment, request)
    const isSmall = ACCEPTS_GZIP.test(String(request.headers['accept-encoding'] ?? ''))
    const file = join(FOLDER, name)
    const headers = {
      'content-type': type,
      vary: request.headers.origin === undefined ? 'Accept-Encoding' : 'Origin, Accept-Encoding',
      ...(isSmall ? { 'content-encoding': 'gzip' } : {}),
    }
    const tag = `"${swagger.version}${isSmall ? '-gzip' : ''}"`
    sendKept(environment, request, { tag, seconds: 86_400, headers }, await (isSmall ? compress(file) : readFile(file)))
  },
})

const ACCEPTS_GZIP = /\bgzip\b(?!\s*;\s*q=0(?!\.0*[1-9]))/i

const compressed = new Map<string, Buffer>()

/** Made at the first request and shared by both environments: half a megabyte, where the files take two. */
async function compress(file: string): Promise<Buffer> {
  const known = compressed.get(file)
  if (known) return known
  const small = await promisify(gzip)(await readFile(file), { level: 9 })
  compressed.set(file, small)
  return small
}

interface Kept {
  readonly tag: string
  readonly seconds: number
  readonly headers: Headers
}

/** Says how long the answer holds; 304 where the client has it already. */
function sendKept(
  environment: Environment,
  request: HttpRequest,
  { tag, seconds, headers }: Kept,
  body: string | Buffer,
): void {
  const own = { etag: tag, 'cache-control': `public, max-age=${seconds}` }
  if (hasAlready(request, tag)) {
    const { vary } = headers
    sendAnswer(environment, request, 304, vary === undefined ? own : { ...own, vary })
  } else sendAnswer(environment, request, 200, { ...headers, ...own }, body)
}
