import type { IncomingMessage } from 'node:http'
import { type Config, isLoopbackHost } from '../config.ts'
import { buildContentHosts } from '../content-hosts.ts'
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
    throw fail('badRequest', 'The URL of the request and its Host header have different hosts')
  raw.url = path.startsWith('/') ? path : `/${path}`
}

/** Returns the host in lower case, without a default port. */
const nameOf = (host: string): string => host.toLowerCase().replace(/:(?:80|443)?$/, '')

/** Returns the host name in a Host header: in lower case, without port and final dot. */
export const hostNameOf = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '')

/** The number of Host headers that are remembered as checked. Clients of one platform use a handful. */
const MOST_REMEMBERED = 100

/**
 * Makes a check against DNS rebinding: a web page can give its own host name the address 127.0.0.1, and its scripts
 * then reach a platform on this machine as their own origin. So a platform that listens on a loopback address serves
 * only names of this machine and the names in its settings. On other addresses, any name is served.
 */
export function buildHostCheck(
  config: Pick<Config, 'HOST' | 'BASE_URL' | 'SANDBOX_URL' | 'NOTES_URL' | 'CONTENT_URL' | 'SANDBOX_CONTENT_URL'>,
): (raw: IncomingMessage) => void {
  if (!isLoopbackHost(config.HOST)) return () => undefined
  const { BASE_URL, SANDBOX_URL, NOTES_URL, CONTENT_URL, SANDBOX_CONTENT_URL } = config
  const names = new Set([BASE_URL, SANDBOX_URL, NOTES_URL].map((url) => new URL(url).hostname))
  const contentHosts = [CONTENT_URL, SANDBOX_CONTENT_URL].map(buildContentHosts)
  const isServed = (host: string): boolean => {
    const name = hostNameOf(host)
    return isLoopbackHost(name) || names.has(name) || contentHosts.some((isContentHost) => isContentHost(name))
  }
  const served = new Set<string>()
  return ({ headers: { host } }) => {
    // Browsers always send the header, so only other programs leave it out.
    if (!host || served.has(host)) return
    if (!isServed(host))
      throw fail(
        'forbidden',
        'This platform listens on a loopback address and does not serve this host name; if it should, set BASE_URL to its URL',
      )
    if (served.size < MOST_REMEMBERED) served.add(host)
  }
}
