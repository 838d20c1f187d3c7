import { createHash } from 'node:crypto'
import type { HttpRequest } from '../request.ts'

export const etagOf = (content: string | Buffer): string =>
  `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`

/**
 * Tells whether the client's cached copy is current. `If-None-Match` is compared weakly (RFC 9110 §13.1.2). Splitting
 * at commas is safe, because our tags contain none.
 */
export function hasAlready(request: HttpRequest, etag: string): boolean {
  const tags = request.headers['if-none-match']?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
  return tags.includes(etag) || tags.includes('*')
}
