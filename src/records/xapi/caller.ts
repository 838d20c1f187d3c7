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
/** The paths of a resource: its own, and one per version for clients that cannot send the header. */
export const pathsOf = (path: string): string[] => [
  path,
  ...VERSIONS.map(([, version]) => `${BASE}/${version}${path.slice(BASE.length)}`),
]

/** The base of a request's path; links in its response stay under it. */
export const baseOf = (request: HttpRequest): string => {
  const version = pinnedVersion(request)
  return version === undefined ? BASE : `${BASE}/${version}`
}

const pinnedVersion = ({ url }: HttpRequest): Version | undefined =>
  VERSIONS.find(([, version]) => url.startsWith(`${BASE}/${version}/`))?.[1]

const versionIn = (header: string | undefined): Version | undefined =>
  VERSIONS.find(([pattern]) => pattern.test(header ?? ''))?.[1]

/** The version of a request; undefined if it names none that is supported. */
export function findVersion(request: HttpRequest): Version | undefined {
  const header = request.headers[VERSION_HEADER] as string | undefined
  const base = pinnedVersion(request)
  return base !== undefined && header === undefined ? base : versionIn(header)
}

/** A caller of the record store, with the version of xAPI of the request. */
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
          : `This address is for version ${base}; leave out X-Experience-API-Version, or send ${base}`,
      )
    return { ...who, version }
  },
}
