import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { ownOrigins, sendFile } from '../../kernel/http/output/stored-files.ts'
import type { ContentRoute, HttpRequest } from '../../kernel/http/request.ts'
import { keyIn } from '../content/links.ts'
import { findOriginal, findPackageFile } from './packages.ts'

const notFound = () =>
  fail('notFound', 'There is no file at this address, or the link has expired; open the lesson again')

/** Serves the files of a package on the content origin to anybody who has a valid link. */
export const packageFileRoute: ContentRoute = {
  name: 'package-file',
  path: /^\/p\/(?<token>[\w.-]{1,100})\/(?<path>.{1,6000})$/,
  packageOf: ({ token = '' }) => keyIn(token),
  handle: async (environment, request, { token = '', path = '' }) => {
    refuseServiceWorkers(request)
    const decoded = decodePath(path)
    const file = decoded === undefined ? undefined : await findPackageFile(environment, token, decoded)
    if (!file) throw notFound()
    const { sha256, bytes, expiresMs, media_type: contentType } = file
    const headers = { 'origin-agent-cluster': '?1' }
    return sendFile(environment, request, {
      sha256,
      bytes,
      expiresMs,
      contentType,
      policy: policyOf(environment),
      headers,
    })
  },
}

/** Serves the uploaded file of a package as a download. */
export const packageOriginalRoute: ContentRoute = {
  name: 'package-original',
  path: /^\/o\/(?<token>[\w.-]{1,100})\/[^/]*$/,
  handle: async (environment, request, { token = '' }) => {
    const file = await findOriginal(environment, token)
    if (!file) throw notFound()
    const { sha256, bytes, expiresMs, name } = file
    const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
    return sendFile(environment, request, {
      ...{ sha256, bytes, expiresMs, contentType: 'application/octet-stream', policy: "default-src 'none'; sandbox" },
      headers: { 'content-disposition': `attachment; filename*=UTF-8''${encoded}` },
    })
  },
}

/**
 * Refuses to serve the script of a service worker (Service Workers §4.1). It would outlive the link and, where packages
 * share a host name, see the requests of all of them.
 */
function refuseServiceWorkers({ headers }: HttpRequest): void {
  if (headers['service-worker'] !== undefined || headers['sec-fetch-dest'] === 'serviceworker')
    throw fail('forbidden', 'Service workers cannot be used here')
}

/**
 * Returns the content security policy of a package: its content is free on its own origin, but only the platform's
 * pages and the content itself may frame it.
 */
const policyOf = (environment: Environment): string =>
  `frame-ancestors 'self' ${ownOrigins(environment).join(' ')}; object-src 'self'; base-uri 'self'`

/** Decodes a path of a URL. Paths in a package are in Unicode normal form C, and have no control characters. */
function decodePath(path: string): string | undefined {
  try {
    const decoded = decodeURIComponent(path).normalize('NFC')
    return /\p{Cc}/u.test(decoded) ? undefined : decoded
  } catch {
    return undefined
  }
}
