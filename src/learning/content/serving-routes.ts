import type { Environment } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { ownOrigins, sendFile } from '../../kernel/http/output/stored-files.ts'
import type { ContentRoute } from '../../kernel/http/request.ts'
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
    return sendFile(environment, request, {
      ...{ sha256: file.sha256, bytes: file.bytes, expiresMs: file.expiresMs },
      contentType: /^text\//.test(file.media_type) ? `${file.media_type}; charset=utf-8` : file.media_type,
      policy: policyFor(environment, file.media_type),
      headers: { 'content-disposition': dispositionOf(file, request.url.endsWith('?download')) },
    })
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

/** Names the file in both forms, the second for letters beyond ASCII (RFC 6266 §5). */
function dispositionOf({ name, media_type: type }: { name: string; media_type: string }, isDownload: boolean): string {
  const plain = name.replaceAll(/[^\w. ()+-]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(/['()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`)
  return `${isShown(type) && !isDownload ? 'inline' : 'attachment'}; filename="${plain}"; filename*=UTF-8''${encoded}`
}
