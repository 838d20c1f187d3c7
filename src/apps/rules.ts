import { isLoopbackHost } from '../config.ts'

const MAX_URI_LENGTH = 2000

/** Schemes in which an address is a program or a file: a redirect there would hand the code to whoever wrote it. */
const REFUSED_SCHEMES = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'file:',
  'blob:',
  'about:',
  'ws:',
  'wss:',
  'ftp:',
])

/** What is wrong with a redirect URI, as the end of a sentence that begins with "must"; undefined where nothing is. */
export function findRedirectUriMistake(uri: string): string | undefined {
  const url = URL.parse(uri)
  if (!url || uri.length > MAX_URI_LENGTH || !/^[\x21-\x7e]+$/.test(uri))
    return 'be an absolute address in plain characters, such as https://app.example.org/callback or myapp://callback'
  if (url.hash || uri.includes('#')) return 'have no fragment (RFC 6749 §3.1.2)'
  if (url.username || url.password) return 'carry no user name or password'
  if (uri.includes('*')) return 'be complete: there are no wildcards, redirect URIs are compared as they are'
  if (REFUSED_SCHEMES.has(url.protocol)) return 'be https, or http on a loopback address, or a scheme of the app itself'
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return 'be https unless its host is localhost or another loopback address'
  return undefined
}

/** An origin as browsers send it: scheme, host and, unless it is the usual one, port. */
export const isOrigin = (origin: string): boolean =>
  /^https?:\/\//.test(origin) && origin.length <= MAX_URI_LENGTH && URL.parse(origin)?.origin === origin

/** Starts with `sbx-` never: the production client ID would look like one of the sandbox. */
export const isAppKey = (key: string): boolean => /^(?!sbx-)[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/.test(key)
