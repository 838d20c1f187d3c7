/** The address of a unit, or the fault of it. */
export type Href =
  | { readonly url: string; readonly path?: string; readonly tolerated?: string }
  | { readonly fault: string; readonly must: string }

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i
const CONTROL = /\p{Cc}/u
/** Characters that a URL cannot have. Authors write them, and browsers encode them. */
const UNENCODED = /[\s"<>\\^`{|}]/gu
const MOST_LETTERS = 2_000

/** The files of a package, to be found in spite of another case. */
export class Files {
  readonly #paths: ReadonlySet<string>
  #folded: Map<string, string> | undefined

  constructor(paths: ReadonlySet<string>) {
    this.#paths = paths
  }

  /** Returns the path of a file as it is in the package. */
  find(path: string): string | undefined {
    if (this.#paths.has(path)) return path
    this.#folded ??= new Map([...this.#paths].map((one) => [one.toLowerCase(), one]))
    return this.#folded.get(path.toLowerCase())
  }
}

/**
 * Resolves an address of a manifest by the `xml:base` of the elements around it, the outermost first. It must lead to a
 * file of the package, or to a place on the web. Files are not looked for if they are undefined.
 */
export function resolveHref(href: string, bases: readonly string[], files: Files | undefined): Href {
  const slashes = href.replaceAll('\\', '/')
  const found = resolve(slashes, bases, files)
  if (!('fault' in found) || bases.every((base) => base === '' || base.endsWith('/')))
    return 'url' in found && slashes !== href ? { ...found, tolerated: 'has backslashes instead of slashes' } : found
  // A base that should end with a slash is a common mistake.
  const again = resolve(
    slashes,
    bases.map((base) => (base === '' ? base : base.replace(/\/?$/, '/'))),
    files,
  )
  return 'fault' in again ? found : { ...again, tolerated: 'has an xml:base that does not end with a slash' }
}

function resolve(href: string, bases: readonly string[], files: Files | undefined): Href {
  const joined = [...bases, href].reduce(join, '')
  if (href === '' || joined.length > MOST_LETTERS || CONTROL.test(joined))
    return { fault: 'is no URL', must: 'be a URL' }
  if (ABSOLUTE.test(joined)) {
    if (/^https?:\/\/[^/?#]/i.test(joined) && URL.canParse(joined)) return { url: encode(joined) }
    return { fault: 'is neither relative nor an address with http or https', must: 'be relative or have http or https' }
  }
  if (joined.startsWith('//')) return { fault: 'has no scheme', must: 'be relative or have http or https' }
  const [, place = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(joined)!
  const isFromRoot = place.startsWith('/')
  const segments = normalise(place)
  if (!segments) return { fault: 'leads out of the package', must: 'lead to a file of the package' }
  const url = (path: string) => `${path.split('/').map(encodeURIComponent).join('/')}${encode(rest)}`
  const path = segments.map(decode).join('/').normalize('NFC')
  if (path === '' || path.endsWith('/')) return { fault: 'leads to no file', must: 'lead to a file of the package' }
  if (!files) return { url: url(path), path }
  const literal = segments.join('/').normalize('NFC')
  const file = files.find(path) ?? files.find(literal)
  if (file === undefined) return { fault: 'leads to no file of the package', must: 'lead to a file of the package' }
  const tolerated = isFromRoot
    ? 'begins with a slash'
    : file === path
      ? undefined
      : file === literal
        ? 'has a percent sign that is not encoded'
        : `names the file ${file} in another case`
  return { url: url(file), path: file, ...(tolerated !== undefined && { tolerated }) }
}

/** Resolves an address by the one before it (RFC 3986 §5.2, without the removal of dots). */
function join(base: string, href: string): string {
  if (href === '' || base === '') return href === '' ? base : href
  if (ABSOLUTE.test(href) || href.startsWith('//')) return href
  if (ABSOLUTE.test(base)) return URL.canParse(href, base) ? new URL(href, base).href : base
  if (href.startsWith('/')) return href
  const [place = ''] = base.split(/[?#]/, 1)
  return `${place.slice(0, place.lastIndexOf('/') + 1)}${href}`
}

/** Removes the dots of a path. Returns undefined if it leads out of the package. */
function normalise(place: string): string[] | undefined {
  const segments: string[] = []
  for (const segment of place.replace(/^\/+/, '').split('/')) {
    const plain = decode(segment)
    if (plain === '..') {
      if (segments.pop() === undefined) return undefined
    } else if (plain.includes('/') || plain.includes('\\') || CONTROL.test(plain)) return undefined
    else if (plain !== '.') segments.push(segment)
  }
  return segments
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const encode = (text: string): string => text.replace(UNENCODED, encodeURIComponent)

/** Adds the parameters of an item to the address of its resource (SCORM 2004 CAM 3.4.1.5; the same in IMS CP). */
export function addParameters(url: string, parameters: string): string {
  const own = encode(parameters.trim().replace(/^[?&]+/, ''))
  if (own === '') return url
  if (own.startsWith('#')) return url.includes('#') ? url : `${url}${own}`
  return `${url}${url.includes('?') ? '&' : '?'}${own}`
}
