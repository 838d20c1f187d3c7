import { fail } from '../../errors.ts'
import type { HttpRequest } from '../request.ts'

interface Fields {
  readonly client_id?: string
  readonly client_secret?: string
}

/**
 * Reads an app's credentials from the fields or the Basic header (RFC 6749 §2.3.1, form-encoded); the client ID may
 * also come in a header of our own. Both places together are accepted only if the IDs match and only one has the
 * secret.
 */
export function withClientCredentials<F extends Fields>(request: HttpRequest, fields: F): F {
  const basic = readBasic(request.oneHeader('authorization'))
  if (basic && fields.client_secret !== undefined)
    throw fail('badRequest', 'The client secret is sent twice: use the Authorization header or the field')
  const ids = new Set([fields.client_id, basic?.clientId].filter((id) => id !== undefined))
  if (ids.size > 1) throw fail('badRequest', 'client_id is given twice, with different values')
  const clientId = [...ids][0] ?? request.oneHeader('clientid', 'client_id')
  request.clientId = clientId
  const clientSecret = fields.client_secret ?? basic?.clientSecret
  return {
    ...fields,
    ...(clientId === undefined ? {} : { client_id: clientId }),
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
  }
}

/** Undefined if the header is not Basic: a Bearer token may be sent as well and is ignored here. */
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
 * Old clients do not encode. An unencoded secret is rarely valid encoding of something else, so it is used as it is.
 */
function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
