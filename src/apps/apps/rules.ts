import { isLoopbackHost } from '../../kernel/config.ts'

const MAX_URI_LENGTH = 2000

/** Schemes that browsers and systems act upon themselves: a redirect there would run a program, or hand the code to whoever wrote the rest of it. */
const REFUSED_SCHEMES = new RegExp(
  `^(?:${[
    'about|android-app|blob|brave|cid|content|data|dav|davs|edge|facetime|feed|file|filesystem|firefox|ftp|ftps|geo|googlechromes?',
    'help|hcp|intent|jar|javascript|ldaps?|local|mailto|market|mhtml|microsoft-edge|mid|mk|moz-[^:]*|nfs|opera|rdp|res|resource|rlogin',
    'search|sftp|shell|sip|sips|sms|smsto|smb|ssh|steam|tel|telnet|urn|vbscript|view-source|vivaldi|vnc|webcal|webcals|ws|wss|wyciwyg',
    'chrome[^:]*|itms[^:]*|macappstores?|ms-(?!app:)[^:]*|search-ms|x-apple[^:]*|[^:]*-extension',
  ].join('|')}):$`,
)

/** What is wrong with a redirect URI, as the end of a sentence that begins with "must"; undefined where nothing is. */
export function findRedirectUriMistake(uri: string): string | undefined {
  const url = URL.parse(uri)
  // No backslash: browsers read it as a slash, others do not.
  if (!url || uri.length > MAX_URI_LENGTH || !/^[\x21-\x5b\x5d-\x7e]+$/.test(uri))
    return 'be an absolute address in plain characters, such as https://app.example.org/callback or myapp://callback'
  if (REFUSED_SCHEMES.test(url.protocol))
    return 'be https, or http on a loopback address, or a scheme of the app itself, such as myapp://callback'
  // Browsers mend `https:host`; what it says to others is anybody's guess.
  const start = /^https?:$/.test(url.protocol) ? /^https?:\/\/[^/?#]/i : /^[^:]+:\//
  if (!start.test(uri))
    return 'begin with https:// and a host, or with a scheme of the app itself and a slash, such as myapp://callback'
  if (uri.includes('#')) return 'have no fragment (RFC 6749 §3.1.2)'
  if (/^[^:]+:\/\/[^/?]*@/.test(uri)) return 'carry no user name or password'
  if (uri.includes('*')) return 'be complete: there are no wildcards, redirect URIs are compared as they are'
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    return 'be https unless its host is localhost or another loopback address'
  const reserved = findReservedName(uri)
  return reserved && `not have ${reserved} in its query: that is for sign-in to say`
}

/** What sign-in itself says to an app in an address: nobody else may, or an app would read the wrong one. */
const RESERVED = new Set([
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

/** The first such name in the query of an address. */
export function findReservedName(uri: string): string | undefined {
  const mark = uri.indexOf('?')
  return mark < 0 ? undefined : namesOf(uri.slice(mark + 1)).find((name) => RESERVED.has(name))
}

/** The names of a query, as generously as any server might read them: `;` for `&`, any case, ` code` and `code[]` for `code`. */
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

/** An origin as browsers send it: scheme, host and, unless it is the usual one, port. */
export const isOrigin = (origin: string): boolean =>
  /^https?:\/\//.test(origin) && origin.length <= MAX_URI_LENGTH && URL.parse(origin)?.origin === origin

/** Starts with `sbx-` never: the production client ID would look like one of the sandbox. */
export const isAppKey = (key: string): boolean => /^(?!sbx-)[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/.test(key)

/** http on a loopback address in digits: the app's port is not known before it runs (RFC 8252 §7.3). `localhost` is a name, which may lead elsewhere. */
const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?((?:\/.*)?)$/s

/** RFC 9700 §4.1.3: compared character by character; only the port of a loopback address may be another. */
export function matchesRedirectUri(given: string, registered: string): boolean {
  if (given === registered) return true
  const [, host, , rest] = LOOPBACK.exec(registered) ?? []
  const [, givenHost, port, givenRest] = LOOPBACK.exec(given) ?? []
  if (host === undefined || host !== givenHost || rest !== givenRest) return false
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535 && !port.startsWith('0'))
}

/** What is wrong with a launch address, whatever is registered, as the end of a sentence; undefined where nothing is. */
export function findLaunchMistake(uri: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri)) return 'be written in plain characters, with %20 and the like for others'
  if (uri.includes('#')) return 'have no fragment'
  const reserved = findReservedName(uri)
  return reserved && `not say ${reserved}: that is for the platform to say`
}

/**
 * A launch address belongs to a redirect URI that is the same up to the query: what follows is the platform's own, the lesson's launch parameters. Where a query is
 * registered, it comes first.
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

/** What an administrator has approved of an app, and its developers may change. */
const LOOK = ['name', 'redirectUris', 'launchUri', 'origins'] as const
type Look = Readonly<Record<(typeof LOOK)[number], string | readonly string[]>>

/** As the audit log has a value: a list in one line. None of what is listed has a space. */
const inLine = (value: string | readonly string[]): string => (typeof value === 'string' ? value : value.join(' '))

/** What the fields that are really changed were before, by names for the audit log: `nameBefore`. The order of a list means nothing. */
export function findDifferences(
  was: Look,
  change: { readonly [Field in keyof Look]?: Look[Field] | undefined },
): Record<string, string> {
  const sorted = (value: string | readonly string[]) =>
    inLine(typeof value === 'string' ? value : [...new Set(value)].sort())
  const changed = LOOK.filter((field) => change[field] !== undefined && sorted(change[field]) !== sorted(was[field]))
  return Object.fromEntries(changed.map((field) => [`${field}Before`, inLine(was[field])]))
}

/** The same, read back from an entry of the audit log. */
export function readDifferences(
  detail: Readonly<Record<string, unknown>>,
): { field: (typeof LOOK)[number]; before: string[]; after: string[] }[] {
  return LOOK.filter((field) => `${field}Before` in detail).map((field) => {
    const values = (text: unknown) => (field === 'name' ? [String(text)] : String(text).split(' ').filter(Boolean))
    return { field, before: values(detail[`${field}Before`]), after: values(detail[field]) }
  })
}
