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
   * The ETag, including its quotes. It must differ whenever the bytes differ, also between viewers, because a browser
   * may have cached the image that another person saw.
   */
  readonly etag: string
  readonly cacheControl: string
}

/** Headers of every image response, including 304. */
const ALWAYS = {
  // If the image is opened as a document, it cannot run scripts.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'content-disposition': 'inline',
}

/** Headers for requests with a token. */
const OF_APPS = {
  // Lets apps with COEP embed the image. That is safe: the image cannot be loaded without a token, which browsers do
  // not attach automatically.
  'cross-origin-resource-policy': 'cross-origin',
  // The image is cached for a long time. The copy must not be used for another origin, or for another user of the same
  // browser.
  vary: 'Origin, Authorization',
}

/**
 * Headers for requests with the cookie. Browsers attach the cookie automatically, so only the platform's own pages may
 * embed the image.
 */
const OF_PAGES = { 'cross-origin-resource-policy': 'same-origin', vary: 'Origin, Cookie' }

/** Sends an image, or 304 if the client's cached copy is current. */
export function sendImage(environment: Environment, request: HttpRequest, image: Image): void {
  const { bytes, mediaType, etag, cacheControl } = image
  const seenBy = 'browserToken' in request.who ? OF_PAGES : OF_APPS
  const headers = { ...ALWAYS, ...seenBy, etag, 'cache-control': cacheControl }
  if (hasAlready(request, etag)) sendAnswer(environment, request, 304, headers)
  else sendAnswer(environment, request, 200, { ...headers, 'content-type': mediaType }, bytes)
}
