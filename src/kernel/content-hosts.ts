import { hash } from 'node:crypto'

/**
 * CONTENT_URL may begin with a wildcard, as in `https://*.content.example.org`. Then each content package has its own
 * host name, and with it its own origin in browsers: packages cannot read each other's pages and storage. Without a
 * wildcard, they share the one host name with the uploaded files.
 */
const WILDCARD = '://*.'

/** The host name of uploaded files below a wildcard. */
const FILES_LABEL = 'files'

export const hasWildcard = (contentUrl: string): boolean => contentUrl.includes(WILDCARD)

/** Returns the origin of uploaded files. */
export const filesOrigin = (contentUrl: string): string => contentUrl.replace(WILDCARD, `://${FILES_LABEL}.`)

/**
 * Returns the origin of a content package. Its label is a hash of the package's id, because host names have no capital
 * letters. It stays the same, so that what the content has stored in the browser is found again.
 */
export const packageOrigin = (contentUrl: string, key: string): string =>
  contentUrl.replace(WILDCARD, `://p${hash('sha256', key).slice(0, 31)}.`)

/** Returns a function that tells whether a host name, in lower case, is one of CONTENT_URL. */
export function buildContentHosts(contentUrl: string | undefined): (hostName: string) => boolean {
  if (contentUrl === undefined) return () => false
  const { hostname } = new URL(contentUrl)
  if (!hasWildcard(contentUrl)) return (hostName) => hostName === hostname
  const suffix = hostname.slice(1)
  return (hostName) => hostName.endsWith(suffix) && /^[a-z\d-]{1,63}$/.test(hostName.slice(0, -suffix.length))
}
