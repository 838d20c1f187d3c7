import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Environment } from '../../environment.ts'
import type { ByteRange, Content } from '../../files/contents.ts'
import { fileStore } from '../../files/storage.ts'
import type { HttpRequest } from '../request.ts'
import { sendAnswer, startAnswer } from './answers.ts'
import { hasAlready } from './etags.ts'

/** A file of the content origin. */
interface ServedFile extends Content {
  readonly contentType: string
  /** Until when its URL is valid. */
  readonly expiresMs: number
  /** Content security policy. */
  readonly policy: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a file, or the part of it that the request asks for. */
export async function sendFile(environment: Environment, request: HttpRequest, file: ServedFile): Promise<void> {
  const etag = `"${file.sha256.slice(0, 32)}"`
  const seconds = Math.floor((file.expiresMs - environment.clock().getTime()) / 1000)
  const headers = {
    etag,
    'cache-control': `private, max-age=${seconds}, immutable`,
    'content-security-policy': file.policy,
    'cross-origin-resource-policy': 'cross-origin',
    // Captions of a video are only read with CORS.
    'access-control-allow-origin':
      ownOrigins(environment).find((one) => one === request.headers.origin) ?? environment.url,
    vary: 'Origin',
  }
  if (hasAlready(request, etag)) return sendAnswer(environment, request, 304, headers)
  const range = readRange(request, file.bytes, etag)
  if (range === 'unsatisfiable')
    return sendAnswer(environment, request, 416, { ...headers, 'content-range': `bytes */${file.bytes}` })
  const { start, end } = range ?? { start: 0, end: file.bytes - 1 }
  const all = {
    ...headers,
    'content-type': file.contentType,
    'content-length': String(end - start + 1),
    'accept-ranges': 'bytes',
    ...file.headers,
    ...(range && { 'content-range': `bytes ${start}-${end}/${file.bytes}` }),
  }
  const status = range ? 206 : 200
  if (request.method === 'HEAD' || file.bytes === 0) {
    startAnswer(environment, request, all, status).end()
    return
  }
  const stream = await environment.get(fileStore).open(file, { start, end })
  await sendStream(environment, request, stream, () => startAnswer(environment, request, all, status))
}

/** Origins of the platform's pages. On a laptop they are also reached by address. */
export const ownOrigins = ({ url }: Environment): string[] =>
  new URL(url).hostname === 'localhost' ? [url, url.replace('//localhost', '//127.0.0.1')] : [url]

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

/** Codes of errors that mean that the client has gone, or that the process stops. */
const CLIENT_LEFT = ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_UNABLE_TO_PIPE', 'ABORT_ERR']

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
    // `pipeline` leaves the file open if the client had gone before it began.
    stream.destroy()
    if (!CLIENT_LEFT.includes(code ?? ''))
      environment.log.warn({ requestId: request.id, problem: message }, 'file could not be sent')
  }
}
