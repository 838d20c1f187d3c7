import { fail } from '../../errors.ts'
import type { HttpRequest } from '../request.ts'

interface Fields {
  readonly client_id?: string
  readonly client_secret?: string
  readonly client_assertion?: string
}

/**
 * Adds an app's credentials to the input fields. They come from the fields themselves or from the Basic header (RFC
 * 6749 §2.3.1, form-encoded). If neither has a client ID, it is read from the `client_id` header. Throws if the fields
 * and the Basic header have different client IDs, or if a request has two kinds of credentials (RFC 6749 §2.3). The
 * client ID of an assertion is read before the assertion is verified (RFC 7521 §4.2); only the app's keys prove it.
 */
export function withClientCredentials<F extends Fields>(request: HttpRequest, fields: F): F {
  const basic = readBasic(request.oneHeader('authorization'))
  if (basic && fields.client_secret !== undefined)
    throw fail('badRequest', 'The client secret is sent twice: use either the Authorization header or the field')
  if (fields.client_assertion !== undefined && (basic || fields.client_secret !== undefined))
    throw fail('badRequest', 'client_assertion is sent beside a client secret: use one of them')
  const ids = new Set(
    [fields.client_id, basic?.clientId, readSubject(fields.client_assertion)].filter((id) => id !== undefined),
  )
  if (ids.size > 1) throw fail('badRequest', 'client_id is sent twice, with different values')
  const clientId = [...ids][0] ?? request.oneHeader('clientid', 'client_id')
  request.clientId = clientId
  const clientSecret = fields.client_secret ?? basic?.clientSecret
  return {
    ...fields,
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  }
}

/**
 * Parses a Basic header. Returns undefined for other schemes, such as a Bearer token, which is ignored here. Throws if
 * the header is malformed.
 */
export function readBasic(
  header: string | undefined,
): { clientId: string; clientSecret: string | undefined } | undefined {
  if (header === undefined || !/^basic(?: |$)/i.test(header)) return undefined
  const encoded = /^basic ([A-Za-z0-9+/_-]+=*)$/i.exec(header)?.[1] ?? ''
  const text = Buffer.from(encoded, 'base64').toString()
  const colon = text.indexOf(':')
  if (colon < 1) throw fail('notAuthorized', 'The Authorization header must be: Basic base64(client_id:client_secret)')
  const clientSecret = decode(text.slice(colon + 1))
  return { clientId: decode(text.slice(0, colon)), clientSecret: clientSecret === '' ? undefined : clientSecret }
}

/**
 * Decodes a form-encoded value. Old clients do not encode their secrets; such a secret is rarely valid encoding, so
 * text that cannot be decoded is used unchanged.
 */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** Returns the subject that a JWT names; undefined if it cannot be read. Nothing is verified. */
function readSubject(assertion: string | undefined): string | undefined {
  try {
    const { sub } = JSON.parse(Buffer.from(assertion?.split('.')[1] ?? '', 'base64url').toString())
    return typeof sub === 'string' ? sub : undefined
  } catch {
    return undefined
  }
}
