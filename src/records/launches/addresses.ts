import type { Environment } from '../../kernel/environment.ts'
import type { AssignableUnit } from '../../learning/packages/cmi5-structure.ts'

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:/i

/** Returns whether a unit is on another server, or is opened by an installed app. */
export const isElsewhere = (url: string): boolean => ABSOLUTE.test(url)

/**
 * Returns how a unit is opened. Pages frame only content of this platform and of servers with https; other content
 * needs a window of its own, which `AnyWindow` permits (cmi5 13.1.4).
 */
export const launchMethodOf = ({ url, launchMethod }: Pick<AssignableUnit, 'url' | 'launchMethod'>) =>
  isElsewhere(url) && !/^https:/i.test(url) ? 'OwnWindow' : launchMethod

/** Adds launch parameters to a URL, which may have a query and a fragment of its own (cmi5 8.1). */
export function withLaunchParameters(url: string, parameters: Readonly<Record<string, string>>): string {
  const [, base = '', fragment = ''] = /^([^#]*)(#.*)?$/s.exec(url)!
  const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  const separator = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&'
  return `${base}${separator}${query.join('&')}${fragment}`
}

/** The platform's record store, as content names it. */
export const endpointOf = ({ url }: Pick<Environment, 'url'>): string => `${url}/xapi/`
export const fetchUrlOf = ({ url }: Pick<Environment, 'url'>, token: string): string =>
  `${url}/cmi5/v1/fetch?token=${encodeURIComponent(token)}`
