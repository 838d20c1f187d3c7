import type { Environment } from '../../environment.ts'
import type { HttpRequest } from '../request.ts'
import { sendAnswer } from './answers.ts'
import { hasAlready } from './etags.ts'

/** What the platform makes images of. */
export type ImageType = 'image/webp' | 'image/png'

export interface Image {
  readonly bytes: Buffer
  readonly mediaType: ImageType
  /** With its quotes. It must differ for different bytes, for every viewer: a browser may have kept somebody else's. */
  readonly etag: string
  readonly cacheControl: string
}

/** What each answer with an image says, 304 too. */
const ALWAYS = {
  // Opened as a page it is an image, and nothing that could run.
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

/** Sends an image, or says that the client has it already. */
export function sendImage(environment: Environment, request: HttpRequest, image: Image): void {
  const { bytes, mediaType, etag, cacheControl } = image
  const seenBy = 'browserToken' in request.who ? OF_PAGES : OF_APPS
  const headers = { ...ALWAYS, ...seenBy, etag, 'cache-control': cacheControl }
  if (hasAlready(request, etag)) sendAnswer(environment, request, 304, headers)
  else sendAnswer(environment, request, 200, { ...headers, 'content-type': mediaType }, bytes)
}
