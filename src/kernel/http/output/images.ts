import type { Environment } from '../../environment.ts'
import type { HttpRequest } from '../request.ts'
import { sendAnswer } from './answers.ts'
import { hasAlready } from './etags.ts'

/** Media types of the images that the platform generates. */
export type ImageType = 'image/webp' | 'image/png'

export interface Image {
  readonly bytes: Buffer
  readonly mediaType: ImageType
  /**
   * Includes the quotes. Must differ whenever the bytes differ, for every viewer: a browser may have cached another
   * person's.
   */
  readonly etag: string
  readonly cacheControl: string
}

/** Headers of every image response, 304 included. */
const ALWAYS = {
  // Opened as a document, the image cannot run scripts.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'content-disposition': 'inline',
}

/** For requests with a token. */
const OF_APPS = {
  // Lets apps with COEP embed the image. Nobody can load it without a token, which browsers do not attach by
  // themselves.
  'cross-origin-resource-policy': 'cross-origin',
  // The image is cached for long. The copy must not be used for another origin, or another user of the same browser.
  vary: 'Origin, Authorization',
}

/**
 * For requests with the cookie, which browsers attach by themselves: only the platform's own pages may embed the image.
 */
const OF_PAGES = { 'cross-origin-resource-policy': 'same-origin', vary: 'Origin, Cookie' }

/** Sends an image, or 304 if the client has it cached. */
export function sendImage(environment: Environment, request: HttpRequest, image: Image): void {
  const { bytes, mediaType, etag, cacheControl } = image
  const seenBy = 'browserToken' in request.who ? OF_PAGES : OF_APPS
  const headers = { ...ALWAYS, ...seenBy, etag, 'cache-control': cacheControl }
  if (hasAlready(request, etag)) sendAnswer(environment, request, 304, headers)
  else sendAnswer(environment, request, 200, { ...headers, 'content-type': mediaType }, bytes)
}
