import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Gate } from '../../bounds/gate.ts'
import { type Environment, service } from '../../environment.ts'
import type { HttpRequest } from '../request.ts'
import { type Headers, sendAnswer } from './answers.ts'
import { CODINGS, type Coding, isAccepted, varyByCoding } from './codings.ts'

/** Shorter texts fit into a few packets anyway. */
const MIN_LENGTH = 16 * 1024

/** Fast settings: higher ones take two to three times as long, and save less than a tenth. */
const COMPRESS: Readonly<Record<Coding, (text: string) => Promise<Buffer>>> = {
  br: (text) => promisify(brotliCompress)(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } }),
  gzip: (text) => promisify(gzip)(text, { level: 3 }),
}

/**
 * Compression runs in Node's thread pool, which hashes passwords and resolves names, too. This leaves threads for them,
 * and bounds the memory. Responses for which no turn is free are sent as they are.
 */
const AT_ONCE = 2
export const compressing = service(() => new Gate({ atOnce: AT_ONCE, perKey: AT_ONCE, waiting: 0 }))

/** Sends the response of an operation with `isCompressible`: compressed, if it is a long text and the client agrees. */
export async function sendCompressible(
  environment: Environment,
  request: HttpRequest,
  status: number,
  headers: Headers,
  body?: string | Buffer,
): Promise<void> {
  const vary = { ...headers, vary: varyByCoding(request) }
  const coding = codingFor(request, headers, body)
  const leave = coding && environment.get(compressing).tryEnter('')
  if (!leave) return sendAnswer(environment, request, status, vary, body)
  const bytes = await COMPRESS[coding](body as string).finally(leave)
  sendAnswer(environment, request, status, { ...vary, 'content-encoding': coding }, bytes)
}

/** A response with an ETag is not compressed, because the tag would stand for two different contents. */
const codingFor = (request: HttpRequest, headers: Headers, body: string | Buffer | undefined): Coding | undefined =>
  typeof body !== 'string' || body.length < MIN_LENGTH || 'etag' in headers || isFromForeignPage(request)
    ? undefined
    : CODINGS.find((coding) => isAccepted(request, coding))

/**
 * Tells whether a page of another site may have made the browser send this request with the person's cookie. Such a
 * page could choose the query, and learn from the size of the response what else is in it (BREACH).
 */
const isFromForeignPage = ({ headers }: HttpRequest): boolean =>
  headers.authorization === undefined &&
  headers['sec-fetch-site'] !== undefined &&
  headers['sec-fetch-site'] !== 'same-origin' &&
  headers['sec-fetch-site'] !== 'none'
