import type { Environment } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { tokenCache } from '../../sessions/cache.ts'
import { type Holder, readHolder } from '../../sessions/sessions.ts'
import type { HttpRequest } from '../request.ts'

/**
 * `Bearer <token>`, case-insensitive, with exactly one space. A token without the word `Bearer` is tolerated; the word
 * alone is not taken for a token.
 */
const BEARER = /^(?:bearer )?(?!bearer$)([A-Za-z0-9._~+/-]+=*)$/i

/**
 * Returns the bearer token of a request. For images and streams it may be in the query, because browsers cannot set
 * headers on those requests.
 */
export function findBearer(request: HttpRequest, isQueryAllowed: boolean): string | undefined {
  const header = request.headers.authorization ?? (isQueryAllowed ? queryToken(request) : undefined)
  if (header === undefined) return undefined
  if (request.isSentTwice('authorization')) throw fail('badRequest', 'The Authorization header is sent twice')
  if (header === '') return undefined
  const token = BEARER.exec(header)?.[1]
  if (!token) throw fail('notAuthorized', 'The Authorization header must be: Bearer <access token>')
  request.hasToken = true
  return token
}

const queryToken = ({ query }: HttpRequest): string | undefined =>
  typeof query.authorization === 'string' ? query.authorization : undefined

/**
 * Returns the token's holder from the cache of this process; undefined if it is not cached. Throws if the token has
 * expired.
 */
export function recallHolder(environment: Environment, token: string, now: Date): Holder | undefined {
  const holder = environment.get(tokenCache).get(token)
  if (holder && holder.expiresAtMs <= now.getTime()) throw fail('tokenExpired')
  return holder
}

/** Reads the token's holder from the database and caches it. Throws if the token is invalid. */
export async function lookUpHolder(environment: Environment, token: string, now: Date): Promise<Holder> {
  const tokens = environment.get(tokenCache)
  const mark = tokens.mark()
  const holder = await readHolder(environment.db, token, environment.name, now)
  tokens.remember(token, holder, mark)
  return holder
}
