import type { Caller } from '../../kernel/caller.ts'
import { fail } from '../../kernel/errors.ts'
import type { CallerKind } from '../../kernel/http/callers/callers.ts'
import type { HttpRequest } from '../../kernel/http/request.ts'
import type { Version } from './statement.ts'

const HEADER = 'x-experience-api-version'
const VERSIONS: readonly [RegExp, Version][] = [
  [/^1\.0(?:\.\d+)?$/, '1.0.3'],
  [/^2\.0(?:\.\d+)?$/, '2.0.0'],
]

const BASE = '/xapi'
/** The same resource under the bases that say the version, for clients that cannot send the header. */
export const pinned = (path: string): string[] =>
  VERSIONS.map(([, version]) => `${BASE}/${version}${path.slice(BASE.length)}`)

/** The base that a request came to: links in answers stay under it. */
export const baseOf = (request: HttpRequest): string => {
  const version = pinnedVersion(request)
  return version === undefined ? BASE : `${BASE}/${version}`
}

const pinnedVersion = ({ url }: HttpRequest): Version | undefined =>
  VERSIONS.find(([, version]) => url.startsWith(`${BASE}/${version}/`))?.[1]

const versionIn = (header: string | undefined): Version | undefined =>
  VERSIONS.find(([pattern]) => pattern.test(header ?? ''))?.[1]

/** The version that a request speaks; undefined where it does not say one of ours. */
function findVersion(request: HttpRequest): Version | undefined {
  const said = request.headers[HEADER] as string | undefined
  const base = pinnedVersion(request)
  return base !== undefined && said === undefined ? base : versionIn(said)
}

/** Every answer says a version. Who asks without one gets the oldest name: nothing else is right for clients of both (1.0.3 Communication 3.3, 2.0 §4.1.2). */
export const versionHeader = (request: HttpRequest): Record<string, string> => ({
  'x-experience-api-version':
    findVersion(request) ??
    (request.headers[HEADER] === undefined && !/\/about\b/.test(request.url) ? '0.95' : '2.0.0'),
})

/** A caller who says which version of xAPI they speak. */
export const xapi = <Who extends Caller>(kind: CallerKind<Who>): CallerKind<Who & { readonly version: Version }> => ({
  ...kind,
  errors: (asked) => [...new Set([...kind.errors(asked), 'badRequest' as const])],
  ...(kind.keyOf ? { keyOf: (who) => kind.keyOf!(who) } : {}),
  admit: async (environment, request, asked) => {
    const who = await kind.admit(environment, request, asked)
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
})

/** Version 2.0 has no alternate request syntax. */
export function refuseAlternate(request: HttpRequest): void {
  if (findVersion(request) !== '1.0.3') throw fail('badRequest', '?method= works only with version 1.0 of xAPI')
}

/** What all resources of the specification declare alike. */
export const resource = (path: string) =>
  ({
    path,
    alsoAt: pinned(path),
    alternate: refuseAlternate,
    headersFor: versionHeader,
    // Content runs in pages of its own origin, and has its key or token from whoever opened it.
    isForAnyOrigin: true,
  }) as const
