import { isLoopbackHost } from '../../kernel/config.ts'

export const MAX_URI_LENGTH = 2000

/**
 * Schemes that browsers and operating systems handle themselves. A redirect to one of them could run a program or leak
 * the code to a third party.
 */
const REFUSED_SCHEMES = new RegExp(
  `^(?:${[
    'about|android-app|blob|brave|cid|content|data|dav|davs|edge|facetime|feed|file|filesystem|firefox|ftp|ftps|geo|googlechromes?',
    'help|hcp|intent|jar|javascript|ldaps?|local|mailto|market|mhtml|microsoft-edge|mid|mk|moz-[^:]*|nfs|opera|rdp|res|resource|rlogin',
    'search|sftp|shell|sip|sips|sms|smsto|smb|ssh|steam|tel|telnet|urn|vbscript|view-source|vivaldi|vnc|webcal|webcals|ws|wss|wyciwyg',
    'chrome[^:]*|itms[^:]*|macappstores?|ms-(?!app:)[^:]*|search-ms|x-apple[^:]*|[^:]*-extension',
  ].join('|')}):$`,
)

/**
 * Returns what is wrong with a redirect URI, as the end of a sentence that begins with "must", or undefined if the URI
 * is valid.
 */
export function findRedirectUriMistake(uri: string): string | undefined {
  const url = URL.parse(uri)
  // Backslashes are refused, because browsers treat them as slashes and other clients do not.
  if (!url || uri.length > MAX_URI_LENGTH || !/^[\x21-\x5b\x5d-\x7e]+$/.test(uri))
    return 'be an absolute URL in plain characters, such as https://app.example.org/callback or myapp://callback'
  if (REFUSED_SCHEMES.test(url.protocol))
    return 'be https, or http on a loopback address, or a scheme of the app itself, such as myapp://callback'
  // `https:host` is refused, because browsers correct it, but other clients may interpret it differently.
  const start = /^https?:$/.test(url.protocol) ? /^https?:\/\/[^/?#]/i : /^[^:]+:\//
  if (!start.test(uri))
    return 'begin with https:// and a host, or with a scheme of the app itself and a slash, such as myapp://callback'
  if (uri.includes('#')) return 'have no fragment (RFC 6749 §3.1.2)'
  if (/^[^:]+:\/\/[^/?]*@/.test(uri)) return 'have no user name or password'
  if (uri.includes('*')) return 'be complete: wildcards are not supported, and redirect URIs are compared exactly'
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return 'be https unless its host is localhost or another loopback address'
  const reserved = findReservedName(uri)
  return reserved && `not have ${reserved} in its query: the sign-in sets it`
}

/**
 * Parameters that sign-in appends to a redirect URI. A registered URI must not contain them, because the app might read
 * the wrong value.
 */
const RESERVED_NAMES = new Set([
  'access_token',
  'code',
  'error',
  'error_description',
  'error_uri',
  'expires_in',
  'id_token',
  'iss',
  'refresh_token',
  'state',
  'token_type',
])

/** Returns the first reserved parameter name in the query of a URI. */
export function findReservedName(uri: string): string | undefined {
  const mark = uri.indexOf('?')
  return mark < 0 ? undefined : namesOf(uri.slice(mark + 1)).find((name) => RESERVED_NAMES.has(name))
}

/**
 * Returns the parameter names of a query, read as leniently as any server might: `;` separates like `&`, case is
 * ignored, and both ` code` and `code[]` count as `code`.
 */
const namesOf = (query: string): string[] =>
  query.split(/[&;]/).map((field) => {
    const name = decode(field.split('=', 1)[0]!)
    return name.replace(/\[.*$/s, '').trim().toLowerCase()
  })

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/**
 * Matches an http URI of a numeric loopback address, where the app may listen on any port (RFC 8252 §7.3). `localhost`
 * is excluded, because a name may resolve to another host.
 */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:\/.*)?)$/s

/** Compares redirect URIs as exact strings, except that the port of a loopback address may differ (RFC 9700 §4.1.3). */
export function matchesRedirectUri(given: string, registered: string): boolean {
  if (given === registered) return true
  const [, host, , rest] = LOOPBACK.exec(registered) ?? []
  const [, givenHost, port, givenRest] = LOOPBACK.exec(given) ?? []
  if (host === undefined || host !== givenHost || rest !== givenRest) return false
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535 && !port.startsWith('0'))
}

/**
 * Returns what is wrong with a launch URI, whatever redirect URIs are registered, as the end of a sentence that begins
 * with "must", or undefined if the URI is valid.
 */
export function findLaunchMistake(uri: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'be written in plain characters, with others escaped, such as %20'
  if (uri.includes('#')) return 'have no fragment'
  const reserved = findReservedName(uri)
  return reserved && `not have ${reserved} in its query: the platform sets it`
}

/**
 * Whether a launch URI belongs to a registered redirect URI: they must be equal except for the query, which contains
 * the launch parameters of the lesson. If the registered URI has a query, that query must come first.
 */
export function isLaunchOf(given: string, registered: string): boolean {
  const [address, query = ''] = splitQuery(given)
  const [registeredAddress, registeredQuery = ''] = splitQuery(registered)
  if (!matchesRedirectUri(address, registeredAddress)) return false
  return registeredQuery === '' || query === registeredQuery || query.startsWith(`${registeredQuery}&`)
}

function splitQuery(uri: string): [address: string, query?: string] {
  const mark = uri.indexOf('?')
  return mark < 0 ? [uri] : [uri.slice(0, mark), uri.slice(mark + 1)]
}
