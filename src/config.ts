import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { StartupError } from './errors.ts'

/** How a text becomes a value: returns the value, or throws an Error whose message ends the sentence "NAME must be …". */
type Reader<T> = (text: string) => T

interface Setting<T> {
  readonly about: string
  /** As it would be written in the environment; undefined where the default depends on other settings. */
  readonly fallback: string | undefined
  readonly shownDefault?: string
  readonly read: Reader<T>
}

const setting = <T>(about: string, fallback: string, read: Reader<T>, shownDefault?: string): Setting<T> => ({
  about,
  fallback,
  read,
  ...(shownDefault ? { shownDefault } : {}),
})
const optional = <T>(about: string, shownDefault: string, read: Reader<T>): Setting<T | undefined> => ({
  about,
  fallback: undefined,
  shownDefault,
  read,
})

const whole =
  (min: number, max: number): Reader<number> =>
  (text) => {
    const value = Number(text)
    if (!/^\d+$/.test(text) || value < min || value > max) throw new Error(`a whole number from ${min} to ${max}`)
    return value
  }
const fraction: Reader<number> = (text) => {
  const value = Number(text)
  if (!/^(0|1|0?\.\d+|1\.0+)$/.test(text) || value > 1) throw new Error('a number from 0 to 1')
  return value
}
const choice =
  <T extends string>(...values: T[]): Reader<T> =>
  (text) => {
    const found = values.find((value) => value === text.toLowerCase())
    if (found === undefined) throw new Error(`one of ${values.join(', ')}`)
    return found
  }
const anyText: Reader<string> = (text) => text
const country: Reader<string> = (text) => {
  if (!/^[a-z]{2}$/i.test(text)) throw new Error('the two letters of a country, such as US')
  return text.toUpperCase()
}
const listenAddress: Reader<string> = (text) => {
  if (isIP(text) === 0 && text !== 'localhost') throw new Error('an IP address, such as 127.0.0.1, 0.0.0.0 or ::')
  return text
}
const httpAddress: Reader<string> = (text) => {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new Error('an http or https address without query or credentials, such as https://api.example.org')
  return text.replace(/\/+$/, '')
}
const postgresAddress: Reader<string> = (text) => {
  const url = URL.parse(text)
  // An @ after the host is what is left of a password with a / # or ? in it.
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hash || `${url.pathname}${url.search}`.includes('@'))
    throw new Error('an address such as postgres://user@host/database; put the password into DATABASE_PASSWORD')
  return text
}
const smtpAddress: Reader<string> = (text) => {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname)
    throw new Error('an address such as smtps://user:password@mail.example.org')
  return text
}
const sender: Reader<string> = (text) => {
  const address = /^[^<>@,;"\p{Cc}]*<([^<>]*)>$/u.exec(text)?.[1] ?? text
  if (!/^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/.test(address))
    throw new Error('a mail address, such as Groundschool <no-reply@example.org>')
  return text
}
const secretKey: Reader<string> = (text) => {
  if (Buffer.from(text, 'base64url').length < 32) throw new Error('at least 32 random bytes in base64')
  return text
}
const secretKeys: Reader<string[]> = (text) => {
  const keys = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  for (const key of keys) secretKey(key)
  return keys
}
const networks: Reader<string[]> = (text) => {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  if (!parts.every(isNetwork)) throw new Error('addresses or networks with commas, such as 10.0.0.0/8, ::1, loopback')
  return parts
}
function isNetwork(text: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(text)) return true
  const [address = '', bits] = text.split(/\/(?=\d{1,3}$)/)
  return isIP(address) !== 0 && Number(bits ?? 0) <= (isIPv6(address) ? 128 : 32)
}

const PORTS = whole(0, 65535)

/** Every setting there is. `docs/configuration.md` is made from this table. */
const SETTINGS = {
  PORT: setting('Port of production.', '4000', PORTS),
  SANDBOX_PORT: setting(
    'Port of the sandbox. If it is the same as PORT, there is one listener, and the host name decides: that of SANDBOX_URL is the sandbox, any other is production.',
    '4001',
    PORTS,
  ),
  HOST: setting('Address to listen on.', '127.0.0.1', listenAddress),
  BASE_URL: optional('Production as clients reach it.', 'http://localhost:PORT', httpAddress),
  SANDBOX_URL: optional('The sandbox as clients reach it.', 'http://localhost:SANDBOX_PORT', httpAddress),
  NOTES_URL: optional('Host of the notes operations, in links and documents.', 'BASE_URL', httpAddress),
  DATA_DIR: setting('Folder of the embedded database and of the secret key.', './data', anyText),
  DATABASE_URL: optional(
    'A PostgreSQL (15 or later) of your own, such as `postgres://user@host/database`.',
    'the embedded one',
    postgresAddress,
  ),
  DATABASE_PASSWORD: optional(
    'Password for DATABASE_URL, with any characters. In the address itself, characters such as `/`, `@`, `#` and `%` would have to be percent-encoded.',
    'the one in DATABASE_URL, if any',
    anyText,
  ),
  DEMO: setting(
    'Demo data: `on`, `off`, or `auto` (on if the embedded database is new and only this machine can reach the platform). That is so if HOST, BASE_URL, SANDBOX_URL and NOTES_URL are loopback addresses and TRUST_PROXY names no proxy. Otherwise the platform refuses to start with demo people; `npx groundschool demo remove` removes them.',
    'auto',
    choice('auto', 'on', 'off'),
  ),
  SECRET_KEY: optional(
    'Key that signs refresh tokens and hashes client secrets, base64, 32 bytes or more. The same for all processes of one installation.',
    'made once, in DATA_DIR/secret.key',
    secretKey,
  ),
  SEAL_KEYS: setting(
    'Keys that seal the secrets of plugins, base64, 32 bytes or more each, separated by commas. The first encrypts, all of them decrypt. To change the key, put a new one first, run `npx groundschool app reseal`, then remove the old one.',
    '',
    secretKeys,
    'one that is derived from SECRET_KEY',
  ),
  MESSAGES: setting(
    'How people get messages, such as links to set a new password: `smtp`, `file` (into DATA_DIR/messages, for 30 days or until the recipient deletes their account), `log` (to standard error), `off` (administrators hand out links), or `auto` (smtp where SMTP_URL is set, otherwise file, otherwise off). `file` and `log` need HOST, BASE_URL, SANDBOX_URL and NOTES_URL to be loopback addresses.',
    'auto',
    choice('auto', 'off', 'file', 'log', 'smtp'),
  ),
  SMTP_URL: optional(
    'Mail server, with user and password if it needs them. Mail to another machine is encrypted in transit, unless the address ends in `?requireTLS=false`.',
    'none',
    smtpAddress,
  ),
  MESSAGES_FROM: optional('Sender of the messages; required for smtp.', 'none', sender),
  SIGN_UP: setting(
    'Whether anybody can make an account: `on` or `off`. A link confirms the e-mail address, so messages must be on. People who say that they are younger than 13 are refused.',
    'off',
    choice('on', 'off'),
  ),
  DEFAULT_COUNTRY: setting(
    'Country in profiles of people who have not said theirs, and of anonymous users (two letters, ISO 3166).',
    'US',
    country,
  ),
  LOG_LEVEL: setting(
    'What is logged: trace, debug, info, warn, error or silent.',
    'info',
    choice('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
  LOG_SAMPLE: setting('Share of ordinary requests that get a log line (0 to 1).', '0', fraction),
  SLOW_REQUEST_MS: setting('Requests slower than this are always logged (milliseconds).', '1000', whole(1, 600_000)),
  POOL_SIZE: setting('Connections for writes and transactions, for each environment.', '10', whole(1, 500)),
  READ_CONNECTIONS: setting('Connections of the read lane, for each environment.', '2', whole(1, 16)),
  STATEMENT_TIMEOUT_MS: setting('Longest time for one statement (milliseconds).', '10000', whole(100, 600_000)),
  BODY_LIMIT_BYTES: setting(
    'Largest request body for buckets, and largest document of the record store (bytes); others have 64 KiB.',
    '1572864',
    whole(1024, 1 << 30),
  ),
  XAPI_BODY_BYTES: setting(
    'Largest request body for statements at /xapi, with their attachments (bytes).',
    '8388608',
    whole(1024, 1 << 28),
  ),
  LARGE_BODIES_BYTES: setting(
    'Request bodies over 64 KiB in memory at once, for each environment (bytes that have arrived), an eighth of that for one person; beyond that they are refused with 503.',
    '134217728',
    whole(1 << 20, 1 << 30),
  ),
  UNSENT_ANSWERS_BYTES: setting(
    'Answers over 64 KiB that clients have not read yet, for each environment (bytes in memory), an eighth of that for one person; beyond that such answers are 503. A client has a minute to read one.',
    '268435456',
    whole(1 << 20, 1 << 30),
  ),
  RATE_TOKEN_PER_SECOND: setting(
    'Requests a second for one access token, plugin or key of the record store.',
    '300',
    whole(1, 1_000_000),
  ),
  RATE_TOKEN_BURST: setting(
    'Requests at once for one access token, plugin or key of the record store.',
    '3000',
    whole(1, 10_000_000),
  ),
  RATE_CLIENT_PER_SECOND: setting('Token requests a second for one app.', '100', whole(1, 1_000_000)),
  RATE_CLIENT_BURST: setting('Token requests at once for one app.', '3000', whole(1, 10_000_000)),
  RATE_ADDRESS_PER_SECOND: setting('Unauthenticated requests a second from one address.', '200', whole(1, 1_000_000)),
  RATE_ADDRESS_BURST: setting('Unauthenticated requests at once from one address.', '1000', whole(1, 10_000_000)),
  RATE_ANONYMOUS_PER_SECOND: setting('Anonymous users made a second from one address.', '5', whole(1, 1_000_000)),
  RATE_ANONYMOUS_BURST: setting(
    'Anonymous users made at once from one address: a classroom may sit behind one.',
    '200',
    whole(1, 10_000_000),
  ),
  RATE_SEARCH_PER_SECOND: setting(
    'Searches for people and random draws that one user may make in a second, so that nobody can list everybody. Every ten people requested count as one search. Anonymous users of one network and app share one limit; their searches count fourfold, and each person whom they draw counts as a search.',
    '2',
    whole(1, 1_000_000),
  ),
  RATE_SEARCH_BURST: setting('Searches for people at once by one user.', '200', whole(1, 10_000_000)),
  RATE_JOIN_PER_HOUR: setting(
    'Wrong class codes that one person may try in an hour. A network, which may be a school, may try twenty times as many.',
    '30',
    whole(1, 1_000_000),
  ),
  RATE_PLANNER_PER_MINUTE: setting(
    'Engines that one person may ask in a minute with the mission planner. A search counts once for each engine.',
    '30',
    whole(1, 1_000_000),
  ),
  RATE_IMAGE_PER_SECOND: setting(
    'Megapixels of images a second that one person may send. Each image counts for more than it has: a picture for 3, a cover for 17.',
    '3',
    whole(1, 1_000_000),
  ),
  RATE_IMAGE_BURST: setting(
    'Megapixels of images at once that one person may send: a dozen photographs of 12 megapixels, and as many covers after a minute.',
    '400',
    whole(60, 10_000_000),
  ),
  TRUST_PROXY: setting(
    'Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas.',
    '',
    networks,
    'none',
  ),
  TOKEN_CACHE_SIZE: setting('Access tokens remembered in memory, for each environment.', '20000', whole(0, 10_000_000)),
  ACCESS_TOKEN_HOURS: setting('Lifetime of an access token (hours).', '24', whole(1, 24 * 30)),
  SESSION_DAYS: setting('A session that was not refreshed for this long ends (days).', '90', whole(1, 3650)),
  AUDIT_DAYS: setting('How long the log of security events is kept (days).', '400', whole(30, 36_500)),
  REQUEST_LOG_DAYS: setting(
    'How long the requests of an app are kept for its developers (days); 0 keeps none. All refusals are kept; of many successes in a second, only a sample.',
    '7',
    whole(0, 90),
  ),
  STORAGE_USER_PERCENT: setting(
    "Share of an app's storage that one user's buckets may take (percent).",
    '10',
    whole(1, 100),
  ),
  STORAGE_ANONYMOUS_PERCENT: setting(
    "Share of an app's storage that the buckets of all its anonymous users may take together (percent).",
    '10',
    whole(1, 100),
  ),
  STREAM_LIMIT: setting(
    'Change streams open at once in one process: so many of buckets, so many of classes, and so many of the record store.',
    '10000',
    whole(1, 1_000_000),
  ),
  STREAM_NETWORK_PERCENT: setting(
    'Share of STREAM_LIMIT that the anonymous users of one network (an IPv4 address, a /64 of IPv6) may take together (percent).',
    '5',
    whole(1, 100),
  ),
  STREAM_ANONYMOUS_PERCENT: setting(
    'Share of STREAM_LIMIT that all anonymous users may take together (percent).',
    '50',
    whole(1, 100),
  ),
  CONNECTIONS_PER_NETWORK: setting(
    'Connections open at once from one network, for each environment and process; a school may sit behind one. Beyond that a new one is answered with 429 and ends. Proxies of TRUST_PROXY are not counted: they carry many clients.',
    '2000',
    whole(1, 1_000_000),
  ),
  PLUGIN_ADDRESSES: optional(
    'Where plugins may be hosted: `public` (https on the public internet), or `loopback` (also http on this machine, for development; only while nobody else reaches the platform, as with DEMO).',
    '`loopback` where only this machine reaches the platform, otherwise `public`',
    choice('public', 'loopback'),
  ),
  XAPI_HOME_PAGE: optional(
    'Home page of the accounts of actors in xAPI statements.',
    'BASE_URL or SANDBOX_URL',
    httpAddress,
  ),
  XAPI_OBJECTS_BASE: optional(
    'What the platform’s objects are called in xAPI statements: this, and `/lesson`.',
    'BASE_URL/xapi/objects',
    httpAddress,
  ),
  XAPI_API_ID_BASE: optional(
    'Under what xAPI statements carry ids of the platform: this, and `/lesson`.',
    'BASE_URL/xapi/api-id',
    httpAddress,
  ),
  XAPI_RETENTION_DAYS: optional(
    'How long xAPI statements are kept (days). What is older is removed for good.',
    'none: they are kept',
    whole(1, 36_500),
  ),
  STOP_SECONDS: setting('How long a stop waits for requests under way (seconds).', '7', whole(1, 600)),
  METRICS_TOKEN: optional(
    'Bearer token for /metrics.',
    'none: only loopback addresses may read it, and only while nobody else reaches the platform, as with DEMO',
    anyText,
  ),
} as const satisfies Record<string, Setting<unknown>>

type Settings = { [K in keyof typeof SETTINGS]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never }

export type EnvironmentName = 'production' | 'sandbox'
export const ENVIRONMENTS: readonly EnvironmentName[] = ['production', 'sandbox']

export type MessageWay = Exclude<Settings['MESSAGES'], 'auto'>

export interface Config
  extends Omit<
    Settings,
    'BASE_URL' | 'SANDBOX_URL' | 'NOTES_URL' | 'MESSAGES' | 'PLUGIN_ADDRESSES' | 'DATABASE_PASSWORD'
  > {
  readonly MESSAGES: MessageWay
  readonly BASE_URL: string
  readonly SANDBOX_URL: string
  readonly NOTES_URL: string
  readonly PLUGIN_ADDRESSES: NonNullable<Settings['PLUGIN_ADDRESSES']>
  /** Nobody but this machine reaches the platform, as far as the settings tell. */
  readonly isLocal: boolean
}

/** A host as it stands in an address or a setting. Names below localhost are loopback too (RFC 6761 §6.3), and so is 127.0.0.0/8 as IPv6 writes it. */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:(?:[^/@:]+\.)?localhost\.?|127\.\d+\.\d+\.\d+|::1|::(?:ffff:)?(?:7f[\da-f]{2}:[\da-f]{1,4}|127\.\d+\.\d+\.\d+))$/i.test(
    host.replace(/^\[(.*)\]$/, '$1'),
  )

/** Reads all settings and refuses with everything that is wrong, not only the first. `CONFIG_FILE` names a file of NAME=value lines; the environment wins over it. */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
  const mistakes: string[] = []
  const given = { ...readConfigFile(environment.CONFIG_FILE, mistakes), ...environment }
  const values: Record<string, unknown> = {}
  for (const [name, { fallback, read }] of Object.entries<Setting<unknown>>(SETTINGS)) {
    const text = given[name]?.trim() || fallback
    if (text === undefined) continue
    try {
      values[name] = read(text)
    } catch (problem) {
      mistakes.push(`${name} must be ${(problem as Error).message}`)
    }
  }
  const { DATABASE_PASSWORD, ...settings } = values as unknown as Settings
  if (DATABASE_PASSWORD) {
    if (!given.DATABASE_URL?.trim()) mistakes.push('DATABASE_PASSWORD must come with DATABASE_URL')
    else if (settings.DATABASE_URL && URL.parse(settings.DATABASE_URL)?.password)
      mistakes.push('DATABASE_PASSWORD must not be set if DATABASE_URL has a password: remove one of them')
  }
  const base = settings.BASE_URL ?? `http://localhost:${settings.PORT}`
  const sandbox = settings.SANDBOX_URL ?? `http://localhost:${settings.SANDBOX_PORT}`
  const reach = { ...settings, BASE_URL: base, SANDBOX_URL: sandbox, NOTES_URL: settings.NOTES_URL ?? base }
  const opening = findOpening(reach)
  if (settings.DEMO === 'on' && opening)
    mistakes.push(`DEMO cannot be on while ${opening}: the demo passwords are public; set it to off`)
  if (settings.PLUGIN_ADDRESSES === 'loopback' && opening)
    mistakes.push(
      `PLUGIN_ADDRESSES cannot be loopback while ${opening}: plugins could reach into this machine; set it to public`,
    )
  const publicAddress = findPublicAddress(reach)
  const way = chooseMessageWay(settings, publicAddress === undefined)
  if ((way === 'log' || way === 'file') && publicAddress)
    mistakes.push(
      `MESSAGES cannot be ${way} while ${publicAddress}: messages hold one-time links; set SMTP_URL and MESSAGES_FROM, or MESSAGES to off`,
    )
  if (way === 'smtp') {
    if (!given.SMTP_URL?.trim()) mistakes.push('SMTP_URL must be set where MESSAGES is smtp')
    if (!given.MESSAGES_FROM?.trim()) mistakes.push('MESSAGES_FROM must be set where messages are sent by SMTP')
  }
  for (const [name, url] of Object.entries({ BASE_URL: base, SANDBOX_URL: sandbox }))
    if ((URL.parse(url)?.pathname ?? '/') !== '/')
      mistakes.push(`${name} must have no path: pages are served from the root of a host`)
  if (settings.BASE_URL !== undefined && base === sandbox)
    mistakes.push('SANDBOX_URL must be another address than BASE_URL: clients tell the environments apart by it')
  const isShared = settings.PORT > 0 && settings.PORT === settings.SANDBOX_PORT
  if (isShared && URL.parse(base)?.hostname === URL.parse(sandbox)?.hostname)
    mistakes.push('SANDBOX_PORT must be another than PORT, or BASE_URL and SANDBOX_URL must have different host names')
  if (mistakes.length > 0)
    throw new StartupError(
      `The settings are wrong (docs/configuration.md lists them all):\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    )
  return {
    ...settings,
    DATABASE_URL: settings.DATABASE_URL && addPassword(settings.DATABASE_URL, DATABASE_PASSWORD),
    DATA_DIR: resolve(settings.DATA_DIR),
    MESSAGES: way,
    BASE_URL: base,
    SANDBOX_URL: sandbox,
    NOTES_URL: reach.NOTES_URL,
    PLUGIN_ADDRESSES: settings.PLUGIN_ADDRESSES ?? (opening === undefined ? 'loopback' : 'public'),
    isLocal: opening === undefined,
  }
}

function addPassword(address: string, password: string | undefined): string {
  if (!password) return address
  const url = new URL(address)
  // As a parameter, because an address without a host, as for a socket, can hold no password.
  url.searchParams.set('password', password)
  return url.href
}

type Reach = Pick<Config, 'HOST' | 'BASE_URL' | 'SANDBOX_URL' | 'NOTES_URL' | 'TRUST_PROXY'>

/** The setting by which others than this machine reach the platform, as a claim. */
export const findOpening = (config: Reach): string | undefined =>
  findPublicAddress(config) ?? (config.TRUST_PROXY?.length > 0 ? 'TRUST_PROXY names a proxy' : undefined)

function findPublicAddress(config: Reach): string | undefined {
  const hosts = {
    HOST: config.HOST,
    BASE_URL: hostOf(config.BASE_URL),
    SANDBOX_URL: hostOf(config.SANDBOX_URL),
    NOTES_URL: hostOf(config.NOTES_URL),
  }
  for (const [name, host] of Object.entries<string | undefined>(hosts))
    if (host !== undefined && !isLoopbackHost(host)) return `${name} is not a loopback address (${host})`
  return undefined
}

const hostOf = (url: string): string | undefined => URL.parse(url)?.hostname

function chooseMessageWay(
  { MESSAGES, SMTP_URL }: Pick<Settings, 'MESSAGES' | 'SMTP_URL'>,
  isLocal: boolean,
): MessageWay {
  if (MESSAGES !== 'auto') return MESSAGES
  if (SMTP_URL) return 'smtp'
  return isLocal ? 'file' : 'off'
}

function readConfigFile(file: string | undefined, mistakes: string[]): Record<string, string | undefined> {
  if (!file) return {}
  try {
    const values = parseEnv(readFileSync(file, 'utf8'))
    for (const name of Object.keys(values)) {
      if (!Object.hasOwn(SETTINGS, name)) mistakes.push(`${name} in ${file} is not a setting`)
    }
    return values
  } catch (problem) {
    mistakes.push(`CONFIG_FILE must name a file that can be read (${(problem as NodeJS.ErrnoException).code})`)
    return {}
  }
}

type KeyPlace = Pick<Config, 'SECRET_KEY' | 'DATA_DIR'>

/** The installation's key: given, or made once in DATA_DIR. */
export function readSecretKey(config: KeyPlace): Buffer {
  const file = keyFileOf(config)
  if (!config.SECRET_KEY && !existsSync(file)) makeSecretKey(config.DATA_DIR, file)
  return findSecretKey(config)!
}

export const keyFileOf = ({ DATA_DIR }: KeyPlace): string => resolve(DATA_DIR, 'secret.key')

/** The same without making one. */
export function findSecretKey(config: KeyPlace): Buffer | undefined {
  if (config.SECRET_KEY) return Buffer.from(config.SECRET_KEY, 'base64url')
  const file = keyFileOf(config)
  if (!existsSync(file)) return undefined
  const key = Buffer.from(readKeyFile(file), 'base64url')
  if (key.length < 32) throw new StartupError(`${file} does not hold a key of 32 bytes; restore it from your backup`)
  return key
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (problem) {
    const { code } = problem as NodeJS.ErrnoException
    throw new StartupError(`The secret key cannot be read from ${file} (${code}): give it to the user that runs this`)
  }
}

/** Whole or not at all, and never over one that another process has just made. */
function makeSecretKey(dataDir: string, file: string): void {
  const draft = `${file}.${process.pid}`
  try {
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
    linkSync(draft, file)
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(file))
      throw new StartupError(
        `The secret key cannot be written to ${file}: make that folder writable, or set SECRET_KEY`,
      )
  } finally {
    if (existsSync(draft)) rmSync(draft)
  }
}

export const listSettings = (): { name: string; about: string; shownDefault: string }[] =>
  Object.entries<Setting<unknown>>(SETTINGS).map(([name, { about, fallback, shownDefault }]) => ({
    name,
    about,
    shownDefault: shownDefault ?? fallback ?? '',
  }))
