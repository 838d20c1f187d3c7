import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { Environment } from '../environment.ts'
import { fail } from '../errors.ts'
import { type Holder, readHolder } from '../sessions/sessions.ts'
import { hashToken } from '../sessions/tokens.ts'

/** `Bearer <token>` in any case; the bare token is tolerated. One space, nothing else. */
const BEARER = /^(?:bearer )?([A-Za-z0-9._~+/-]+=*)$/i

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
  if (header === undefined || header === '') return undefined
  if (countHeader(request.raw, 'authorization') > 1) throw fail('badRequest', 'The Authorization header is sent twice')
  const token = BEARER.exec(header)?.[1]
  if (!token) throw fail('notAuthorized', 'The Authorization header must be: Bearer <access token>')
  return token
}

const queryToken = (request: FastifyRequest): string | undefined => {
  const value = (request.query as Record<string, unknown>).authorization
  return typeof value === 'string' ? value : undefined
}

export interface Checked {
  readonly holder: Holder
  /** What the token's rate limit is counted by. */
  readonly key: string
}

/** Who holds the token: at once where it is remembered, otherwise from the database. */
export function checkToken(environment: Environment, token: string, now: Date): Checked | Promise<Checked> {
  const hash = hashToken(token)
  const key = hash.toString('latin1')
  const holder = environment.tokens.get(key)
  if (holder === undefined) return lookUp(environment, token, key, now)
  if (holder.expiresAtMs <= now.getTime()) throw fail('tokenExpired')
  return { holder, key }
}

async function lookUp(environment: Environment, token: string, key: string, now: Date): Promise<Checked> {
  const mark = environment.tokens.mark()
  const holder = await readHolder(environment.db, token, environment.name, now)
  environment.tokens.remember(key, holder, mark)
  return { holder, key }
}
