import type { Faults } from './refusals.ts'
import type { Placed } from './xml.ts'

/** Requirements by their ids in `@cmi5/requirements`. */
const RULES = { names: '8.1.0.0-6', form: '13.1.4.0-2', inZip: '14.1.0.0-4', withoutZip: '14.2.0.0-1' } as const

/** Parameters that a launch adds to the query of an AU. */
const LAUNCH_NAMES = ['endpoint', 'fetch', 'actor', 'registration', 'activityId']
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i
/**
 * Characters that RFC 1738 §2.2 does not allow, and percent signs that encode nothing. Letters beyond ASCII are
 * accepted.
 */
const FORBIDDEN = /[\s\p{Cc}<>"{}|\\^`]|%(?![0-9a-f]{2})/iu
/** Schemes whose addresses run or show something in the page that opens them. */
const NO_PLACE = /^(?:javascript|vbscript|data|blob|file|about|filesystem|view-source):/i
const MOST_LETTERS = 2_000

interface Package {
  readonly faults: Faults
  /** Paths of the files of the package; undefined if the course structure came without a package. */
  readonly files: ReadonlySet<string> | undefined
}

/** Checks the URL of an AU. Returns the path of the file in the package if it is relative. */
export function checkUrl({ element, pointer }: Placed, url: string, { faults, files }: Package): string | undefined {
  const report = (rule: string, must: string, problem: string) =>
    faults.add(
      pointer,
      rule,
      must,
      `The URL of the AU in line ${element.line} ${problem}: ${JSON.stringify(url.slice(0, 100))}`,
    )
  const isAbsolute = ABSOLUTE.test(url)
  const hasForm =
    url !== '' &&
    url.length <= MOST_LETTERS &&
    !FORBIDDEN.test(url) &&
    (!isAbsolute || (!NO_PLACE.test(url) && hasPlace(url)))
  if (!hasForm) {
    report(RULES.form, 'be a URL', 'is not valid')
    return undefined
  }
  const [address = ''] = url.split('#', 1)
  const [place = '', query = ''] = split(address, '?')
  const names = [...new URLSearchParams(query).keys()]
  const taken = LAUNCH_NAMES.find((name) => names.includes(name))
  if (taken !== undefined)
    report(RULES.names, `have no parameter ${taken}`, `has the parameter ${taken}, which every launch adds`)
  if (isAbsolute) return undefined
  if (!files) {
    report(RULES.withoutZip, 'be absolute', 'is relative, but there is no package')
    return undefined
  }
  const path = resolve(place)
  if (path === undefined || !files.has(path)) {
    report(RULES.inZip, 'lead to a file of the package', 'leads to no file of the package')
    return undefined
  }
  return path
}

function split(text: string, mark: string): [string, string?] {
  const at = text.indexOf(mark)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** Whether an absolute URL names a place: `scheme://` and something that browsers accept. */
const hasPlace = (url: string): boolean => /^[^:]+:\/\/[^/?#]/.test(url) && URL.canParse(url)

/** Resolves a relative path within the package. Returns undefined if it leads out of it. */
function resolve(place: string): string | undefined {
  const segments: string[] = []
  for (const part of place.split('/')) {
    const segment = decode(part)
    if (segment === undefined || segment.includes('/')) return undefined
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined
    } else if (segment !== '.') segments.push(segment)
  }
  return segments.join('/').normalize('NFC')
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}
