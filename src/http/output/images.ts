import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Environment } from '../../environment.ts'
import { commonHeaders, holdUnsent, sendPieces, setHeader, startAnswer } from './answers.ts'
import { hasAlready } from './etags.ts'

/** What the platform makes images of. */
export type ImageType = 'image/webp' | 'image/png'

export interface Image {
  readonly bytes: Buffer
  readonly mediaType: ImageType
  /** With its quotes. It must differ for different bytes, whoever asks: a browser may have kept those of somebody else. */
  readonly etag: string
  readonly cacheControl: string
}

/** What each answer with an image says, 304 too. */
const ALWAYS = {
  // Whoever opens it as a page gets an image, and nothing that could run.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'content-disposition': 'inline',
}

/** Seen with a token. */
const OF_APPS = {
  // For apps whose pages let in only what says so (COEP). Nobody sees an image without a token, and browsers add none by themselves.
  'cross-origin-resource-policy': 'cross-origin',
  // Kept for long: it must not be taken for the answer to another origin, or to another user of the same browser.
  vary: 'Origin, Authorization',
}

/** Seen with the cookie, which browsers add by themselves: for the platform's own pages alone. */
const OF_PAGES = { 'cross-origin-resource-policy': 'same-origin', vary: 'Origin, Cookie' }

/** Sends an image, or says that the client has it already. Returns the status. */
export function sendImage(
  environment: Environment,
  request: FastifyRequest,
  reply: FastifyReply,
  { bytes, mediaType, etag, cacheControl }: Image,
): number {
  const isKnown = hasAlready(request, etag)
  const room = isKnown ? undefined : holdUnsent(environment, request, reply, bytes.length)
  const headers = commonHeaders(environment, request)
  const body = isKnown ? {} : { 'content-type': mediaType, 'content-length': String(bytes.length) }
  const seenBy = 'browserToken' in request.who ? OF_PAGES : OF_APPS
  for (const [name, value] of Object.entries({ ...ALWAYS, ...seenBy, etag, 'cache-control': cacheControl, ...body }))
    setHeader(headers, name, value)
  const status = isKnown ? 304 : 200
  const response = startAnswer(environment, request, reply, status, headers)
  if (room) sendPieces(response, bytes, room)
  else response.end(isKnown ? undefined : bytes)
  return status
}
