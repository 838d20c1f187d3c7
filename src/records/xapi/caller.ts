import { fail } from '../../kernel/errors.ts'
import type { CallerKind } from '../../kernel/http/callers/callers.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import { recordStore } from '../credentials/caller.ts'
import type { Version } from '../statements/model/statement.ts'
import type { XapiCaller } from './statements.ts'

export const VERSION_HEADER = 'x-experience-api-version'
const VERSIONS: readonly [RegExp, Version][] = [
  [/^1\.0(?:\.\d+)?$/, '1.0.3'],
  [/^2\.0(?:\.\d+)?$/, '2.0.0'],
]

const BASE = '/xapi'
/**
 * Lists the paths of a resource: the plain path, one for content that adds `/statements` to an endpoint which ends with
 * a slash, and paths that contain the xAPI version, for clients that cannot send the version header.
 */
export const pathsOf = (path: string): string[] => [
  path,
  `${BASE}/${path.slice(BASE.length)}`,
  ...VERSIONS.map(([, version]) => `${BASE}/${version}${path.slice(BASE.length)}`),
]

/**
 * Returns the base of the request's path, `/xapi` or `/xapi/<version>`. Links in the response start with the same base.
 */
export const baseOf = (request: HttpRequest): string => {
  const version = pinnedVersion(request)
  return version === undefined ? BASE : `${BASE}/${version}`
}

const pinnedVersion = ({ url }: HttpRequest): Version | undefined =>
  VERSIONS.find(([, version]) => url.startsWith(`${BASE}/${version}/`))?.[1]

const versionIn = (header: string | undefined): Version | undefined =>
  VERSIONS.find(([pattern]) => pattern.test(header ?? ''))?.[1]

/** Returns the xAPI version that a request names in its header or path; undefined if it names no supported version. */
export function findVersion(request: HttpRequest): Version | undefined {
  const header = request.headers[VERSION_HEADER] as string | undefined
  const base = pinnedVersion(request)
  return base !== undefined && header === undefined ? base : versionIn(header)
}

/** Callers of the xAPI resources: callers of the record store, plus the xAPI version of their request. */
export const xapiCaller: CallerKind<XapiCaller> = {
  ...recordStore,
  errors: (admission) => [...new Set([...recordStore.errors(admission), 'badRequest' as const])],
  admit: async (environment, request, admission) => {
    const who = await recordStore.admit(environment, request, admission)
    const version = findVersion(request)
    const base = pinnedVersion(request)
    if (version === undefined || (base !== undefined && base !== version))
      throw fail(
        'badRequest',
        base === undefined
          ? 'Send the version of xAPI in the header X-Experience-API-Version: 1.0.3 or 2.0.0'
          : `This URL is for version ${base}; leave out X-Experience-API-Version, or send ${base}`,
      )
    return { ...who, version }
  },
}
