import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../../environment.ts'
import { fail } from '../../errors.ts'
import { type Holder, readHolder } from '../../sessions/sessions.ts'

/** `Bearer <token>` in any case; the bare token is tolerated, the bare word is none. One space, nothing else. */
const BEARER = /^(?:bearer )?(?!bearer$)([A-Za-z0-9._~+/-]+=*)$/i

/** Refuses a header that was sent twice: Node would silently take the first. */
export function countHeader(request: IncomingMessage, name: string): number {
  let count = 0
  const { rawHeaders } = request
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i] as string
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count
}

/** The bearer token of a request; images and streams may carry it in the query, because browsers send no header with those. */
export function findBearer(request: FastifyRequest, isQueryAllowed: boolean): string | undefined {
  const header = request.headers.authorization ?? (isQueryAllowed ? queryToken(request) : undefined)
  if (header === undefined) return undefined
  if (countHeader(request.raw, 'authorization') > 1) throw fail('badRequest', 'The Authorization header is sent twice')
  if (header === '') return undefined
  const token = BEARER.exec(header)?.[1]
  if (!token) throw fail('notAuthorized', 'The Authorization header must be: Bearer <access token>')
  return token
}

const queryToken = (request: FastifyRequest): string | undefined => {
  const value = (request.query as Record<string, unknown>).authorization
  return typeof value === 'string' ? value : undefined
}

/** Who holds the token, as far as this process remembers. */
export function recallHolder({ tokens }: Environment, token: string, now: Date): Holder | undefined {
  const holder = tokens.get(token)
  if (holder && holder.expiresAtMs <= now.getTime()) throw fail('tokenExpired')
  return holder
}

/** Who holds the token, from the database. */
export async function lookUpHolder(environment: Environment, token: string, now: Date): Promise<Holder> {
  const mark = environment.tokens.mark()
  const holder = await readHolder(environment.db, token, environment.name, now)
  environment.tokens.remember(token, holder, mark)
  return holder
}
