import type { IncomingMessage } from 'node:http'
import { fail } from '../errors.ts'
import { countHeader } from './request.ts'

/**
 * A host name or IP address with an optional port (RFC 9110 §7.2). Credentials, paths and spaces are not allowed,
 * because two parsers could read them differently.
 */
const HOST = /^(?:\[[\da-f:.]+\]|[\w.-]+)(?::\d{0,5})?$/i
const ABSOLUTE = /^https?:\/\/([^/?#]*)([^#]*)/i

/**
 * Refuses a request whose host is ambiguous, because a proxy in front of us may have routed it by another host. An
 * absolute URL in place of the path (RFC 9112 §3.2.2) is reduced to its path if its host matches the Host header.
 */
export function checkTarget(raw: IncomingMessage): void {
  const { host } = raw.headers
  if (host === undefined) {
    if (raw.httpVersion === '1.1') throw fail('badRequest', 'The Host header is missing')
  } else {
    if (countHeader(raw, 'host') > 1) throw fail('badRequest', 'The Host header is sent twice')
    if (host !== '' && !HOST.test(host)) throw fail('badRequest', 'The Host header must be a host name and a port')
  }
  const url = raw.url as string
  if (url.charCodeAt(0) === 47 /* / */) return
  const [, authority = '', path = ''] = ABSOLUTE.exec(url) ?? []
  if (authority === '') return
  if (!HOST.test(authority) || (host !== undefined && nameOf(host) !== nameOf(authority)))
    throw fail('badRequest', 'The address of the request and its Host header name different hosts')
  raw.url = path.startsWith('/') ? path : `/${path}`
}

/** Returns the host in lower case, without a default port. */
const nameOf = (host: string): string => host.toLowerCase().replace(/:(?:80|443)?$/, '')
