import { domainToASCII } from 'node:url'
import { fail } from '../../kernel/errors.ts'
import { readLine } from '../../kernel/lines.ts'

const MAX_LENGTH = 300
/** Three long parts in base64url, such as an ID token. */
const TOKEN = /[\w-]{16,}\.[\w-]{16,}\.[\w-]{8,}/g

/** Shows a value that a provider has sent: one line, without tokens, and cut. */
export function showValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')
  const line = text.replace(TOKEN, '(a token)').replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line
}

/** Algorithms of ID tokens whose signature proves that the provider made them. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']

/** What is stored of the document in which a provider describes itself (OpenID Connect Discovery §3). */
export interface Metadata {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly jwks_uri: string
  readonly userinfo_endpoint?: string
  readonly end_session_endpoint?: string
  readonly id_token_signing_alg_values_supported: string[]
  readonly token_endpoint_auth_methods_supported: string[]
  readonly authorization_response_iss_parameter_supported?: boolean
}

const WELL_KNOWN = '/.well-known/openid-configuration'

/** Returns the issuer that somebody typed, without the path of its configuration and without a slash at the end. */
export function readIssuer(typed: string): string {
  const issuer = typed
    .trim()
    .replace(/\/\.well-known\/[^?#]*$/, '')
    .replace(/\/+$/, '')
  const url = URL.parse(issuer)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw fail(
      'validationFailed',
      'issuer must be the address of your provider without a query, such as https://login.example.org',
    )
  return issuer
}

export const configurationOf = (issuer: string): string => `${issuer.replace(/\/+$/, '')}${WELL_KNOWN}`

const refuse = (words: string) => fail('validationFailed', words)

type Document = Readonly<Record<string, unknown>>

/**
 * Reads the document of a provider. `issuer` is what somebody typed, which may lack the slash at the end. Throws an
 * error that says in words what the provider has to do differently.
 */
export function readMetadata(text: string, issuer: string, findMistake: (uri: string) => string | undefined): Metadata {
  const document = parse(text)
  const named = document.issuer
  if (typeof named !== 'string') throw refuse('The configuration of the provider does not name its issuer')
  if (named.replace(/\/+$/, '') !== issuer.replace(/\/+$/, ''))
    throw refuse(
      `The provider at ${issuer} says that its issuer is ${showValue(named)}: both must be the same${/\{|common|organizations/.test(named + issuer) ? '; use the address of your own tenant' : ''}`,
    )
  const required = (field: string): string => {
    const address = readAddress(document, field, findMistake)
    if (address === undefined) throw refuse(`The configuration of the provider has no ${field}`)
    return address
  }
  const codes = listIn(document, 'response_types_supported')
  if (codes && !codes.includes('code'))
    throw refuse('The provider does not support the authorization code flow: response_types_supported lacks code')
  // Some providers support PKCE without saying so, such as Microsoft Entra ID.
  const challenges = listIn(document, 'code_challenge_methods_supported')
  if (challenges && !challenges.includes('S256'))
    throw refuse('The provider does not support PKCE with S256: code_challenge_methods_supported lacks it')
  const given = listIn(document, 'id_token_signing_alg_values_supported') ?? ['RS256']
  const algorithms = given.filter((one) => ALGORITHMS.includes(one))
  if (algorithms.length === 0)
    throw refuse(
      `The provider signs ID tokens with ${showValue(given.join(', '))}, which proves nothing: let it use RS256, PS256, ES256 or EdDSA`,
    )
  const methods = listIn(document, 'token_endpoint_auth_methods_supported') ?? ['client_secret_basic']
  const usable = methods.filter((one) => one === 'client_secret_basic' || one === 'client_secret_post')
  if (usable.length === 0)
    throw refuse(
      'The provider accepts no client secret: token_endpoint_auth_methods_supported needs client_secret_basic or client_secret_post',
    )
  const userinfo = readAddress(document, 'userinfo_endpoint', findMistake)
  const endSession = readAddress(document, 'end_session_endpoint', findMistake)
  return {
    issuer: named,
    authorization_endpoint: required('authorization_endpoint'),
    token_endpoint: required('token_endpoint'),
    jwks_uri: required('jwks_uri'),
    ...(userinfo !== undefined && { userinfo_endpoint: userinfo }),
    ...(endSession !== undefined && { end_session_endpoint: endSession }),
    id_token_signing_alg_values_supported: algorithms,
    token_endpoint_auth_methods_supported: usable,
    ...(document.authorization_response_iss_parameter_supported === true && {
      authorization_response_iss_parameter_supported: true,
    }),
  }
}

function parse(text: string): Document {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {}
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw refuse('The configuration of the provider is not a JSON object: check the address of the issuer')
  return document as Document
}

function listIn(document: Document, field: string): string[] | undefined {
  const value = document[field]
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw refuse(`The field ${field} in the configuration of the provider must be a list`)
  return value.filter((one) => typeof one === 'string' && one.length <= 100).slice(0, 50) as string[]
}

function readAddress(
  document: Document,
  field: string,
  findMistake: (uri: string) => string | undefined,
): string | undefined {
  const value = document[field]
  if (value === undefined || value === null) return undefined
  const mistake = typeof value === 'string' ? findMistake(value) : 'be an address'
  if (mistake !== undefined) throw refuse(`The provider’s ${field} must ${mistake}; it is ${showValue(value)}`)
  return value as string
}

/** At least two labels, the last of which is not a number. */
const DOMAIN = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/
/** Domains of providers where everybody can have an address. */
const FREE_MAIL = new Set(
  `aol.com fastmail.com gmail.com gmx.at gmx.ch gmx.com gmx.de gmx.net googlemail.com hotmail.com icloud.com live.com mac.com mail.com mail.ru
   me.com msn.com outlook.com proton.me protonmail.com qq.com t-online.de web.de yahoo.com yandex.ru ymail.com zoho.com 163.com`.split(
    /\s+/,
  ),
)

/** Normalizes an e-mail domain: lower case, and the ASCII form of names with other letters. */
export function readDomain(text: string): string {
  const domain = domainToASCII(text.trim().replace(/^@/, '').replace(/\.$/, '')).toLowerCase()
  if (!DOMAIN.test(domain))
    throw fail('validationFailed', 'domain must be an e-mail domain, such as example.org, without * and without names')
  if (FREE_MAIL.has(domain))
    throw fail('validationFailed', `Everybody can have an address at ${domain}: add a domain that belongs to you`)
  return domain
}

export const recordName = (domain: string): string => `_groundschool.${domain}`
const recordValue = (challenge: string): string => `groundschool-domain=${challenge}`

/** Whether one of the TXT records has the challenge. Some registrars add quotes or spaces. */
export const hasChallenge = (texts: readonly string[], challenge: string): boolean =>
  texts.some((text) => text.trim().replace(/^"(.*)"$/, '$1') === recordValue(challenge))

const MOST_SHOWN_RECORDS = 3

/** The error for a domain whose TXT records lack the challenge. It lists those that were found. */
export function missingRecord(domain: string, texts: readonly string[], challenge: string) {
  const shown = texts.slice(0, MOST_SHOWN_RECORDS).map((text) => showValue(text).slice(0, 100))
  const more = texts.length - shown.length
  const found = shown.length === 0 ? 'there is no TXT record' : `the TXT records are: ${shown.join(' | ')}`
  return fail(
    'impossibleNow',
    `At ${recordName(domain)} ${found}${more > 0 ? ` and ${more} more` : ''}. One must be ${recordValue(challenge)}. A new record can take an hour to appear`,
  )
}

export interface GroupRole {
  readonly group: string
  readonly role: string
}

/** Normalizes the list of groups that give roles. Throws if a group is named twice. */
export function readGroupRoles(given: readonly GroupRole[]): GroupRole[] {
  const roles = given.map(({ group, role }) => ({ group: readLine('group', group), role }))
  if (roles.some(({ group }) => group === '')) throw fail('parameterMissing', 'group is missing')
  const twice = roles.find(({ group }, i) => roles.findIndex((one) => one.group === group) < i)
  if (twice) throw fail('validationFailed', `The group ${twice.group} is in the list twice`)
  return roles
}

/** The addresses of this platform that owners need, and that they enter at the provider. */
export const addressesOf = (url: string, organisation: string) => ({
  redirectUri: `${url}${callbackPath(organisation)}`,
  logoutUri: `${url}/account/provider/signed-out`,
  signInUrl: `${url}/account/provider?${new URLSearchParams({ organisation })}`,
})

/**
 * Path to which the provider of an organisation sends people back. Each has its own, so that none answers for another.
 */
export const callbackPath = (organisation: string): string => `/account/provider/${organisation}/callback`

export const toDomain = (row: { domain: string; challenge: string; proven_at: string | null }) => ({
  domain: row.domain,
  record: recordName(row.domain),
  value: recordValue(row.challenge),
  provenDate: row.proven_at,
})
