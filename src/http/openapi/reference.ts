import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import swagger from 'swagger-ui-dist/package.json' with { type: 'json' }
import type { Environment } from '../../environment.ts'
import type { Operation } from '../operation.ts'
import { hasAlready } from '../output/etags.ts'
import { HTML_TYPE, JSON_TYPE, SCRIPT_TYPE, STYLE_TYPE } from '../output/media-types.ts'
import type { Page } from '../pages/page.ts'
import { describeApi } from './openapi.ts'
import { PAGE, PAGE_POLICY, PAGE_SCRIPT, PAGE_STYLE } from './reference-page.ts'

const FOLDER = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')))
/** The two files of Swagger UI that the page needs; nothing else of it is reachable. */
const FILES = { 'swagger-ui-bundle.js': SCRIPT_TYPE, 'swagger-ui.css': STYLE_TYPE }

/** The interface described for programs at /openapi.json and for people at /docs, all of it from this server. */
export function serveReference(
  server: FastifyInstance,
  environment: Environment,
  operations: readonly Operation[],
  pages: readonly Page[],
): void {
  const description = JSON.stringify(describeApi(operations, pages, { url: environment.url }))
  serveText(server, '/openapi.json', 'openapi', JSON_TYPE, description)
  serveText(server, '/docs', 'docs', HTML_TYPE, PAGE, { 'content-security-policy': PAGE_POLICY })
  serveText(server, '/docs/page.js', 'docs', SCRIPT_TYPE, PAGE_SCRIPT)
  serveText(server, '/docs/page.css', 'docs', STYLE_TYPE, PAGE_STYLE)
  for (const [name, type] of Object.entries(FILES)) serveFile(server, name, type)
}

function serveText(
  server: FastifyInstance,
  path: string,
  operation: string,
  type: string,
  text: string,
  headers: Record<string, string> = {},
): void {
  const tag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  server.get(path, { config: { operation } }, async (request, reply) => {
    reply.headers({ 'content-type': type, ...headers })
    return isKnown(request, reply, tag, 300) ? reply.send() : reply.send(text)
  })
}

function serveFile(server: FastifyInstance, name: string, type: string): void {
  const file = join(FOLDER, name)
  server.get(`/docs/${name}`, { config: { operation: 'docs' } }, async (request, reply) => {
    const isSmall = ACCEPTS_GZIP.test(String(request.headers['accept-encoding'] ?? ''))
    const vary = reply.getHeader('vary')
    reply.headers({ 'content-type': type, vary: vary ? `${vary}, Accept-Encoding` : 'Accept-Encoding' })
    if (isKnown(request, reply, `"${swagger.version}${isSmall ? '-gzip' : ''}"`, 86_400)) return reply.send()
    return isSmall
      ? reply.header('content-encoding', 'gzip').send(await compress(file))
      : reply.send(createReadStream(file))
  })
}

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

/** Says how long the answer holds; true, with 304 set, where the client has it already. */
function isKnown(request: FastifyRequest, reply: FastifyReply, tag: string, seconds: number): boolean {
  reply.headers({ etag: tag, 'cache-control': `public, max-age=${seconds}` })
  const isFresh = hasAlready(request, tag)
  if (isFresh) reply.code(304)
  return isFresh
}
