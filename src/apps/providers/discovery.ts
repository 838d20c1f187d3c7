import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  type CustomFetchOptions,
  clockTolerance,
  customFetch,
  enableNonRepudiationChecks,
  setJwksCache,
} from 'openid-client'
import { type Environment, service } from '../../kernel/environment.ts'
import { fail } from '../../kernel/errors.ts'
import { findUriMistake, outbound, send } from '../../kernel/outbound/outbound.ts'
import { secretSeal } from '../apps/secrets.ts'
import { ProviderProblem } from './problems.ts'
import { configurationOf, type Metadata, readMetadata } from './rules.ts'
import { type ProviderRow, setMetadata } from './store.ts'

/** Time limit of each request to a provider. */
const REQUEST_MS = 5000
const MAX_ANSWER_BYTES = 256 * 1024
/** How far the clock of a provider may be off. */
const CLOCK_TOLERANCE_SECONDS = 60
/** The platform reads the metadata of a provider again after this time. */
const FRESH_MS = 24 * 3_600_000
/** The platform reads the metadata again after this time if the last attempt failed. */
const RETRY_MS = 60_000
/** The library downloads keys again for a token whose key is unknown, if its copy has at least this age. */
const KEYS_AGE_SECONDS = 60
/** Number of providers whose keys a process remembers. */
const MAX_REMEMBERED = 1000

/** Names a provider where its secret is encrypted, so that a secret copied to another row cannot be decrypted. */
export const sealName = (organisation: string): string => `provider:${organisation}`

interface KeySet {
  readonly jwks: { readonly keys: object[] }
  readonly readAt: number
}

/** Caches the keys of providers in this process, and schedules the next reading of their metadata. */
class Providers {
  readonly #environment: Environment
  /** By organisation and the address of the keys. */
  readonly #keys = new Map<string, KeySet>()
  /** By organisation and version: the time from which the metadata may be read again. */
  readonly #due = new Map<string, number>()
  readonly #reading = new Map<string, Promise<void>>()

  constructor(environment: Environment) {
    this.#environment = environment
    // Open the HTTP client first: services close in reverse order, and the client must outlive this one.
    environment.get(outbound)
  }

  async close(): Promise<void> {
    await Promise.all(this.#reading.values())
  }

  configure(row: ProviderRow): Configuration {
    const { get } = this.#environment
    const metadata = JSON.parse(row.metadata) as Metadata
    const secret = get(secretSeal).open(sealName(row.key), row.sealed_secret)
    const authentication = metadata.token_endpoint_auth_methods_supported.includes('client_secret_basic')
      ? clientSecretBasic(secret)
      : ClientSecretPost(secret)
    const client = { [clockTolerance]: CLOCK_TOLERANCE_SECONDS }
    const configuration = new Configuration({ ...metadata }, row.client_id, client, authentication)
    configuration.timeout = (2 * REQUEST_MS) / 1000
    configuration[customFetch] = (url, options) => this.#fetch(row, metadata, url, options)
    // By default the library trusts the connection to the token endpoint and does not check signatures.
    enableNonRepudiationChecks(configuration)
    if (get(outbound).allowsLoopback) allowInsecureRequests(configuration)
    const known = this.#keys.get(keysName(row, metadata))
    if (known) {
      // The copy is presented as old enough, so that a new key of the provider is found at once.
      const uat = Math.min(known.readAt, secondsNow() - KEYS_AGE_SECONDS)
      setJwksCache(configuration, { jwks: known.jwks, uat })
    }
    return configuration
  }

  /** Reads the metadata of a provider again in the background, if it is old or something has failed. */
  refreshIfDue(row: ProviderRow): void {
    const name = nameOf(row)
    const due = this.#due.get(name) ?? row.read_at.getTime() + FRESH_MS
    const now = this.#environment.clock().getTime()
    if (due > now || this.#reading.has(name)) return
    remember(this.#due, name, now + RETRY_MS)
    const reading = this.#refresh(row)
      .catch((error) => this.#environment.log.warn({ err: error, organisation: row.key }, 'reading a provider failed'))
      .finally(() => this.#reading.delete(name))
    this.#reading.set(name, reading)
  }

  async #refresh(row: ProviderRow): Promise<void> {
    const metadata = await discover(this.#environment, row.issuer)
    const now = this.#environment.clock()
    const what = { organisation: row.id, version: row.version, metadata: JSON.stringify(metadata), now }
    // A provider that suddenly has another issuer, by a slash, would take its people away.
    if (metadata.issuer !== row.issuer) throw new Error(`The provider now calls itself ${metadata.issuer}`)
    await this.#environment.db.first(setMetadata, what)
    this.#due.delete(nameOf(row))
  }

  async #fetch(
    row: ProviderRow,
    metadata: Metadata,
    uri: string,
    { method, body, headers }: CustomFetchOptions,
  ): Promise<Response> {
    const { 'content-type': contentType, ...others } = headers
    const outcome = await send(
      {
        uri,
        method: method === 'POST' ? 'POST' : 'GET',
        headers: others,
        body: body === undefined || body === null ? '' : String(body),
        ...(contentType !== undefined && { contentType }),
        timeoutMs: REQUEST_MS,
        maxAnswerBytes: MAX_ANSWER_BYTES,
        signal: this.#environment.stopping,
      },
      this.#environment,
    )
    // Its addresses may have changed.
    if (outcome.failure !== undefined || outcome.status >= 404) this.#expire(row)
    const { host, pathname } = new URL(uri)
    if (outcome.failure !== undefined)
      throw new ProviderProblem({
        problem: `The provider cannot be reached at ${host}${pathname}`,
        found: outcome.problem,
      })
    if (outcome.isCut)
      throw new ProviderProblem({
        problem: `The response from ${host}${pathname} is larger than ${MAX_ANSWER_BYTES / 1024} KiB`,
      })
    if (uri === metadata.jwks_uri) this.#keepKeys(row, metadata, outcome)
    return toResponse(uri, outcome)
  }

  #expire(row: ProviderRow): void {
    const now = this.#environment.clock().getTime()
    const due = this.#due.get(nameOf(row))
    if (due === undefined || due > now + RETRY_MS) remember(this.#due, nameOf(row), now)
  }

  #keepKeys(row: ProviderRow, metadata: Metadata, { status, text }: { status: number; text: string }): void {
    if (status !== 200) return
    try {
      const jwks = JSON.parse(text)
      if (Array.isArray(jwks?.keys))
        remember(this.#keys, keysName(row, metadata), { jwks: { keys: jwks.keys }, readAt: secondsNow() })
    } catch {
      // The library reports it.
    }
  }
}

const nameOf = (row: ProviderRow): string => `${row.id} ${row.version}`
const keysName = (row: ProviderRow, { jwks_uri: uri }: Metadata): string => `${nameOf(row)} ${uri}`
/** The library compares times with the clock of this machine. */
const secondsNow = (): number => Math.floor(Date.now() / 1000)

function remember<T>(map: Map<string, T>, name: string, value: T): void {
  map.delete(name)
  map.set(name, value)
  if (map.size > MAX_REMEMBERED) map.delete(map.keys().next().value!)
}

/**
 * Authenticates with RFC 6749 §2.3.1. The library also encodes `-`, `_` and `.`, which providers that do not decode the
 * secret refuse.
 */
const clientSecretBasic =
  (secret: string): ClientAuth =>
  (_server, { client_id: id }, _body, headers) => {
    const pair = `${formEncode(id)}:${formEncode(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  }
const formEncode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+')

const NO_BODY = [204, 205, 304]

function toResponse(
  uri: string,
  { status, contentType, text }: { status: number; contentType: string | undefined; text: string },
): Response {
  const response = new Response(NO_BODY.includes(status) ? null : text, {
    status: status >= 200 && status <= 599 ? status : 502,
    headers: contentType === undefined ? {} : { 'content-type': contentType },
  })
  // Failures name the address.
  return Object.defineProperty(response, 'url', { value: uri })
}

const openProviders = service(
  (environment) => new Providers(environment),
  (providers) => providers.close(),
)

/**
 * Returns the configuration with which openid-client talks to a stored provider. Every request goes through our
 * outbound client. What the provider says about itself is read again in the background after a day, or when a request
 * has failed; its keys when a token has an unknown one.
 */
export async function openProvider(environment: Environment, row: ProviderRow): Promise<Configuration> {
  const providers = environment.get(openProviders)
  providers.refreshIfDue(row)
  return providers.configure(row)
}

/** Reads what the provider at an issuer says about itself. Throws an error in words if it cannot be used. */
export async function discover(environment: Environment, issuer: string): Promise<Metadata> {
  const out = environment.get(outbound)
  const mistake = findUriMistake(issuer, out)
  if (mistake !== undefined) throw fail('validationFailed', `issuer must ${mistake}`)
  const uri = configurationOf(issuer)
  const outcome = await send(
    {
      uri,
      method: 'GET',
      headers: { accept: 'application/json' },
      body: '',
      timeoutMs: REQUEST_MS,
      maxAnswerBytes: MAX_ANSWER_BYTES,
      signal: environment.stopping,
    },
    environment,
  )
  if (outcome.failure === 'stopped') throw fail('notReady')
  if (outcome.failure !== undefined)
    throw fail('impossibleNow', `The provider cannot be used. ${uri}: ${outcome.problem}`)
  if (outcome.status !== 200)
    throw fail('impossibleNow', `${uri} responded with ${outcome.status}: check the address of the issuer`)
  if (outcome.isCut)
    throw fail('impossibleNow', `The response from ${uri} is larger than ${MAX_ANSWER_BYTES / 1024} KiB`)
  return readMetadata(outcome.text, issuer, (address) => findUriMistake(address, out))
}
