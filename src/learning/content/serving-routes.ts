import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import type { ByteRange } from '../../kernel/files/contents.ts'
import { fileStore } from '../../kernel/files/storage.ts'
import { sendAnswer, startAnswer } from '../../kernel/http/output/answers.ts'
import { hasAlready } from '../../kernel/http/output/etags.ts'
import type { ContentRoute, HttpRequest } from '../../kernel/http/request.ts'
import { findLinked } from './content.ts'
import { isShown } from './media-types.ts'

const NOT_FOUND = 'There is no file at this address, or the link has expired; open the lesson again'

/** Serves a file on the content origin to anybody who has a valid link. */
export const fileRoute: ContentRoute = {
  name: 'file',
  path: /^\/f\/(?<token>[\w.-]{1,100})\/[^/]*$/,
  handle: async (environment, request, { token = '' }) => {
    const file = await findLinked(environment, token)
    if (!file) throw fail('notFound', NOT_FOUND)
    const { url } = environment
    const etag = `"${file.sha256.slice(0, 32)}"`
    const seconds = Math.floor((file.expiresMs - environment.clock().getTime()) / 1000)
    const headers = {
      etag,
      'cache-control': `private, max-age=${seconds}, immutable`,
      'content-security-policy': policyFor(environment, file.media_type),
      'cross-origin-resource-policy': 'cross-origin',
      // Captions of a video are only read with CORS.
      'access-control-allow-origin': ownOrigins(environment).find((one) => one === request.headers.origin) ?? url,
      vary: 'Origin',
    }
    if (hasAlready(request, etag)) return sendAnswer(environment, request, 304, headers)
    const range = readRange(request, file.bytes, etag)
    if (range === 'unsatisfiable')
      return sendAnswer(environment, request, 416, { ...headers, 'content-range': `bytes */${file.bytes}` })
    const { start, end } = range ?? { start: 0, end: file.bytes - 1 }
    const all = {
      ...headers,
      'content-type': /^text\//.test(file.media_type) ? `${file.media_type}; charset=utf-8` : file.media_type,
      'content-length': String(end - start + 1),
      'content-disposition': dispositionOf(file, request.url.endsWith('?download')),
      'accept-ranges': 'bytes',
      ...(range && { 'content-range': `bytes ${start}-${end}/${file.bytes}` }),
    }
    const status = range ? 206 : 200
    if (request.method === 'HEAD' || file.bytes === 0) {
      startAnswer(environment, request, all, status).end()
      return
    }
    const stream = await environment.get(fileStore).open(file, { start, end })
    await sendStream(environment, request, stream, () => startAnswer(environment, request, all, status))
  },
}

/**
 * Returns the content security policy of a file: it loads nothing, runs nothing, and only pages of the platform embed
 * it. Chrome shows no PDF in a sandbox, so a PDF is without one; its viewer is isolated from the origin.
 */
const policyFor = (environment: Environment, mediaType: string): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    "img-src 'self'",
    "media-src 'self'",
    ...(mediaType === 'application/pdf' ? ["object-src 'self'"] : ['sandbox']),
    `frame-ancestors ${ownOrigins(environment).join(' ')}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ')

/** Origins of the platform's pages. On a laptop they are also reached by address. */
const ownOrigins = ({ url }: Environment): string[] =>
  new URL(url).hostname === 'localhost' ? [url, url.replace('//localhost', '//127.0.0.1')] : [url]

/** Names the file in both forms, the second for letters beyond ASCII (RFC 6266 §5). */
function dispositionOf({ name, media_type: type }: { name: string; media_type: string }, isDownload: boolean): string {
  const plain = name.replaceAll(/[^\w. ()+-]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  return `${isShown(type) && !isDownload ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`
}

/**
 * Reads the Range header (RFC 9110 §14.2). Undefined stands for the whole file: no range, several ranges, another
 * unit, or a range of another version of the file.
 */
function readRange({ headers }: HttpRequest, bytes: number, etag: string): ByteRange | 'unsatisfiable' | undefined {
  const condition = headers['if-range']
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined
  if (condition !== undefined && condition !== etag) return undefined
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  return start > end ? 'unsatisfiable' : { start, end }
}

/** Sends a file as fast as the client reads it. If the file cannot be read to its end, the connection is closed. */
async function sendStream(
  environment: Environment,
  request: HttpRequest,
  stream: Readable,
  start: () => NodeJS.WritableStream,
): Promise<void> {
  try {
    await pipeline(stream, start(), { signal: environment.stopping })
  } catch (problem) {
    const { code, message } = problem as NodeJS.ErrnoException
    request.raw.socket.destroy()
    if (code !== 'ERR_STREAM_PREMATURE_CLOSE' && code !== 'ABORT_ERR')
      environment.log.warn({ requestId: request.id, problem: message }, 'file could not be sent')
  }
}
