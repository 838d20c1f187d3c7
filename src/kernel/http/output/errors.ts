import { BEARER_NAMES, oauthNameOf, type PlatformError } from '../../errors.ts'
import { errorPage, titleOf } from '../../pages/error-page.ts'
import { layOutPage } from '../../pages/layout.ts'
import type { Challenge, ErrorForm, Route } from '../request.ts'
import { HTML_TYPE, JSON_TYPE } from './media-types.ts'

/** Replaces every character that is not ASCII with a question mark, because headers are ASCII only. */
const asciiOnly = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500)

export const errorBody = (error: PlatformError): string =>
  JSON.stringify({ error_code: error.code, error_description: error.message, faults: error.faults })

/** Returns the error headers. Old iOS clients read only the first two; the other two are the documented ones. */
export function errorHeaders(error: PlatformError): Record<string, string> {
  const code = String(error.code)
  const description = asciiOnly(error.message)
  return {
    'content-type': JSON_TYPE,
    'cache-control': 'no-store',
    errorcode: code,
    errordescription: description,
    error_code: code,
    error_description: description,
    ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
  }
}

interface ErrorLook {
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: string
}

/**
 * Returns the status that RFC 6749 §5.2 requires: 400, or 401 if the client failed to authenticate. Rate limits and
 * server errors keep their own status.
 */
export function rfcStatusOf(error: PlatformError): number {
  if (oauthNameOf(error) === 'invalid_client') return 401
  return error.status >= 500 || [413, 415, 429].includes(error.status) ? error.status : 400
}

interface ErrorContext {
  readonly requestId: string
  readonly isSandbox: boolean
  /** True if the request has credentials, valid or not. */
  readonly hasCredentials: boolean
  /** True if the credentials are an access token. */
  readonly hasToken: boolean
}

const REALM = 'realm="groundschool"'

/** Replaces quotes and backslashes, which RFC 6749 §5.2 and RFC 6750 §3 do not allow. */
const unquoted = (text: string): string => asciiOnly(text).replace(/["\\]/g, "'")

/**
 * Returns the `WWW-Authenticate` header for a 401, or for a 403 about the token (RFC 6750 §3). If the request has no
 * credentials, the header contains no error code (RFC 6750 §3.1).
 */
function challengeOf(error: PlatformError, status: number, accepted: Challenge, context: ErrorContext) {
  // Where Basic and Bearer are accepted, an access token is refused as such (RFC 6750 §3).
  const challenge = context.hasToken ? 'Bearer' : accepted
  const name = challenge === 'Bearer' && context.hasCredentials ? BEARER_NAMES[error.kind] : undefined
  if (status !== 401 && (status !== 403 || name === undefined)) return {}
  const more = name === undefined ? '' : `, error="${name}", error_description="${unquoted(error.message)}"`
  return { 'www-authenticate': `${challenge} ${REALM}${more}` }
}

const ERROR_FORMS: Record<ErrorForm, (error: PlatformError, context: ErrorContext) => ErrorLook> = {
  plain: (error) => ({ status: error.status, headers: {}, body: errorBody(error) }),
  oauth: (error) => ({
    status: error.status,
    headers: {},
    body: JSON.stringify({ error: oauthNameOf(error), error_code: error.code, error_description: error.message }),
  }),
  rfc: (error) => {
    const status = rfcStatusOf(error)
    return {
      status,
      headers: {},
      body: JSON.stringify({ error: oauthNameOf(error), error_description: unquoted(error.message) }),
    }
  },
  page: (error, { requestId, isSandbox }) => {
    const problem = { status: error.status, code: error.code, sentence: error.message, requestId }
    return {
      status: error.status,
      headers: {
        'content-type': HTML_TYPE,
        'content-security-policy':
          "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
        'x-frame-options': 'DENY',
      },
      body: layOutPage({ title: titleOf(problem), isSandbox }, errorPage(problem)),
    }
  },
}

/** Formats an error response in the form that the operation or page has declared. */
export function showError(
  error: PlatformError,
  { errorForm, challenge }: Pick<Route, 'errorForm' | 'challenge'>,
  context: ErrorContext,
): ErrorLook {
  const { status, headers, body } = ERROR_FORMS[errorForm](error, context)
  const authenticate = challenge ? challengeOf(error, status, challenge, context) : {}
  return { status, headers: { ...errorHeaders(error), ...headers, ...authenticate }, body }
}
