import { readFileSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { buildContentHosts } from './content-hosts.ts'
import { StartupError } from './errors.ts'

/** Length of a secret key. */
export const KEY_BYTES = 32

/** Parses the text of a setting, or throws an Error whose message completes the sentence "NAME must be …". */
type Reader<T> = (text: string) => T

interface Setting<T> {
  readonly about: string
  /** The default, written as in the environment; undefined if the default depends on other settings. */
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
  if (!/^[a-z]{2}$/i.test(text)) throw new Error('a two-letter country code, such as US')
  return text.toUpperCase()
}
const listenAddress: Reader<string> = (text) => {
  if (isIP(text) === 0 && text !== 'localhost') throw new Error('an IP address, such as 127.0.0.1, 0.0.0.0 or ::')
  return text
}
const httpAddress: Reader<string> = (text) => {
  const url = URL.parse(text)
  const isHost = url !== null && !url.hostname.includes('*')
  if (!isHost || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username || url.password)
    throw new Error('an http or https URL without query or credentials, such as https://api.example.org')
  return text.replace(/\/+$/, '')
}
/** Reads an address whose host name may begin with a wildcard. */
const contentAddress: Reader<string> = (text) => {
  const [, start = '', rest = text] = /^(https?:\/\/)\*\.(?=[^/?#@]*[a-z])(.*)$/i.exec(text) ?? []
  try {
    const plain = httpAddress(`${start}${rest}`)
    return start === '' ? plain : plain.replace('://', '://*.')
  } catch {
    throw new Error('an http or https URL without query or credentials, such as https://*.content.example.org')
  }
}
const postgresAddress: Reader<string> = (text) => {
  const url = URL.parse(text)
  // An `@` after the host is part of a password that contains an unescaped `/`, `#` or `?`.
  if (!url || !/^postgres(ql)?:$/.test(url.protocol) || url.hash || `${url.pathname}${url.search}`.includes('@'))
    throw new Error('a URL such as postgres://user@host/database; set the password in DATABASE_PASSWORD')
  return text
}
const smtpAddress: Reader<string> = (text) => {
  const url = URL.parse(text)
  if (!url || !/^smtps?:$/.test(url.protocol) || !url.hostname)
    throw new Error('a URL such as smtps://user:password@mail.example.org')
  return text
}
const sender: Reader<string> = (text) => {
  const address = /^[^<>@,;"\p{Cc}]*<([^<>]*)>$/u.exec(text)?.[1] ?? text
  if (!/^[^\s@<>,;:"()]+@[^\s@<>,;:"()]+$/.test(address))
    throw new Error('an e-mail address, such as Groundschool <no-reply@example.org>')
  return text
}
const secretKeys: Reader<string[]> = (text) => {
  const keys = text.split(/[,\s]+/).filter(Boolean)
  if (!keys.every((key) => Buffer.from(key, 'base64url').length >= KEY_BYTES))
    throw new Error(`at least ${KEY_BYTES} random bytes in base64`)
  return keys
}
export const someSecretKeys: Reader<string[]> = (text) => {
  const keys = secretKeys(text)
  if (keys.length === 0) throw new Error('one key, or two keys separated by a comma')
  return keys
}
const networks: Reader<string[]> = (text) => {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  if (!parts.every(isNetwork))
    throw new Error('addresses or networks separated by commas, such as 10.0.0.0/8, ::1, loopback')
  return parts
}
function isNetwork(text: string): boolean {
  if (/^(loopback|linklocal|uniquelocal)$/.test(text)) return true
  const [address = '', bits] = text.split(/\/(?=\d{1,3}$)/)
  return isIP(address) !== 0 && Number(bits ?? 0) <= (isIPv6(address) ? 128 : 32)
}
const nameServers: Reader<string[]> = (text) => {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  if (!parts.every(isNameServer))
    throw new Error('IP addresses separated by commas, with or without a port, such as 192.0.2.1, [2001:db8::1]:5353')
  return parts
}
function isNameServer(text: string): boolean {
  const [, v6, v4 = '', port = '53'] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  const isAddress = v6 === undefined ? isIP(v4) === 4 : isIPv6(v6)
  return (isAddress && Number(port) > 0 && Number(port) <= 65535) || isIPv6(text)
}

const PORTS = whole(0, 65535)

/** All settings. `docs/configuration.md` is generated from this table. */
const SETTINGS = {
  PORT: setting('Port of production.', '4000', PORTS),
  SANDBOX_PORT: setting(
    'Port of the sandbox. If it equals PORT, both environments share it: requests for the host name of SANDBOX_URL go to the sandbox, all others to production.',
    '4001',
    PORTS,
  ),
  HOST: setting(
    'IP address to listen on. `0.0.0.0` listens on all addresses of this machine. On a loopback address, only requests for this machine or for the host names of BASE_URL, SANDBOX_URL, NOTES_URL and the content URLs are served, so that no web page can reach the platform under its own host name.',
    '127.0.0.1',
    listenAddress,
  ),
  BASE_URL: optional('URL at which clients reach production.', 'http://localhost:PORT', httpAddress),
  SANDBOX_URL: optional('URL at which clients reach the sandbox.', 'http://localhost:SANDBOX_PORT', httpAddress),
  NOTES_URL: optional(
    'URL at which clients reach the notes operations, if your proxy gives them their own host name.',
    'BASE_URL',
    httpAddress,
  ),
  CONTENT_URL: optional(
    'URL at which browsers load uploaded files and content packages of production. Its host name must lead to the same port as BASE_URL, and must be another one than that of BASE_URL, SANDBOX_URL and NOTES_URL, so that files of others never share an origin or a cookie with the platform. With a wildcard, such as `https://*.content.example.org`, each package has its own host name, so that packages cannot read what others store in the browser; DNS and the certificate need the same wildcard. Without the setting, files and packages can be neither uploaded nor opened.',
    '`http://*.content.localhost:PORT` if BASE_URL is on this machine; otherwise none',
    contentAddress,
  ),
  SANDBOX_CONTENT_URL: optional(
    'URL at which browsers load uploaded files and content packages of the sandbox.',
    '`http://*.content.localhost:SANDBOX_PORT` if SANDBOX_URL is on this machine; otherwise none',
    contentAddress,
  ),
  DATA_DIR: setting(
    'Folder of the embedded database, the secret key and uploaded files. A relative path starts at the folder in which the command is run.',
    './data',
    anyText,
  ),
  DATABASE_URL: optional(
    'URL of your own PostgreSQL (15 or later), such as `postgres://user@host/database`. Recommended for production; the embedded one is for laptops and small installations on one machine.',
    'the embedded one',
    postgresAddress,
  ),
  DATABASE_READ_URL: optional(
    'URL of the standbys of DATABASE_URL, from which reports, exports, statistics and statement browsing read ([docs/fleet.md](fleet.md)).',
    'none: everything is read from DATABASE_URL',
    postgresAddress,
  ),
  DATABASE_READ_LAG_SECONDS: setting(
    'How far behind a standby may be (seconds). While it is further behind, DATABASE_URL is read instead.',
    '10',
    whole(1, 3600),
  ),
  DATABASE_WAIT_SECONDS: setting(
    'How long a request waits for a database that was lost, such as while a standby is promoted (seconds). With 0, such requests are refused at once with 503.',
    '0',
    whole(0, 60),
  ),
  DATABASE_PASSWORD: optional(
    'Password for DATABASE_URL and DATABASE_READ_URL; it may contain any characters. In the URL itself, characters such as `/`, `@`, `#` and `%` must be percent-encoded.',
    'the one in DATABASE_URL, if any',
    anyText,
  ),
  DEMO: setting(
    'Demo data: `on`, `off`, or `auto`. `auto` imports it into a new embedded database, if only this machine can reach the platform: HOST, BASE_URL, SANDBOX_URL and NOTES_URL are loopback addresses, and TRUST_PROXY is empty. A platform that others can reach refuses to start with demo users; `npx groundschool demo remove` deletes them.',
    'auto',
    choice('auto', 'on', 'off'),
  ),
  SECRET_KEY: optional(
    'Key that signs refresh tokens, hashes client secrets, and encrypts unsent messages: 32 bytes or more in base64, such as from `openssl rand -base64 32`. All processes of one installation need the same key. Two keys, separated by a comma, are for a change of key: the first is used, the second is still accepted. docs/upgrade.md has the steps.',
    'created at the first start, in DATA_DIR/secret.key',
    someSecretKeys,
  ),
  SEAL_KEYS: setting(
    'Keys that encrypt the secrets of plugins and of sign-in providers, and the keys of ID tokens: 32 bytes or more each, in base64, separated by commas. The first key encrypts; all of them decrypt. To change the key, put a new one first, run `npx groundschool app reseal`, then remove the old one.',
    '',
    secretKeys,
    'a key derived from SECRET_KEY',
  ),
  MESSAGES: setting(
    'How e-mail, such as password reset links, is sent: `smtp`; `file` (in DATA_DIR/messages, for 30 days or until the recipient deletes their account); `log` (on standard error); `off` (administrators pass links on); or `auto`. `auto` is `smtp` if SMTP_URL is set, otherwise `file` if that is allowed, otherwise `off`. `file` and `log` are allowed only if HOST, BASE_URL, SANDBOX_URL and NOTES_URL are loopback addresses.',
    'auto',
    choice('auto', 'off', 'file', 'log', 'smtp'),
  ),
  SMTP_URL: optional(
    'Mail server, such as `smtps://user:password@mail.example.org`. Mail to another machine is always encrypted in transit, unless the URL ends in `?requireTLS=false`.',
    'none',
    smtpAddress,
  ),
  MESSAGES_FROM: optional(
    'Sender of e-mail, such as `Groundschool <no-reply@example.org>`. Required if it is sent by SMTP.',
    'none',
    sender,
  ),
  SIGN_UP: setting(
    'Whether everybody can create an account: `on` or `off`. Users confirm their e-mail address with a link, so MESSAGES must not be `off`. Users under 13 are refused.',
    'off',
    choice('on', 'off'),
  ),
  DEFAULT_COUNTRY: setting(
    'Country that profiles show for users who have not set theirs, and for anonymous users (two letters, ISO 3166).',
    'US',
    country,
  ),
  LOG_LEVEL: setting(
    'Lowest level that is logged: `trace`, `debug`, `info`, `warn`, `error`, or `silent` for no log.',
    'info',
    choice('trace', 'debug', 'info', 'warn', 'error', 'silent'),
  ),
  LOG_SAMPLE: setting(
    'Share of ordinary requests that are logged, from 0 (none) to 1 (all). Slow requests and those that fail with 5xx are always logged.',
    '0',
    fraction,
  ),
  SLOW_REQUEST_MS: setting(
    'Requests that take longer than this are always logged (milliseconds).',
    '1000',
    whole(1, 600_000),
  ),
  POOL_SIZE: setting('Database connections for writes and transactions, for each environment.', '10', whole(1, 500)),
  READ_CONNECTIONS: setting('Database connections that reads share, for each environment.', '2', whole(1, 16)),
  STATEMENT_TIMEOUT_MS: setting('Time limit of one SQL statement (milliseconds).', '10000', whole(100, 600_000)),
  BODY_LIMIT_BYTES: setting(
    'Largest request body of the bucket operations, and largest document of the record store (bytes). Most other operations accept 64 KiB.',
    '1572864',
    whole(1024, 1 << 30),
  ),
  XAPI_BODY_BYTES: setting(
    'Largest request body of `/xapi/statements`, attachments included (bytes).',
    '8388608',
    whole(1024, 1 << 28),
  ),
  LARGE_BODIES_BYTES: setting(
    'Memory for request bodies over 64 KiB, for each environment (bytes). One user may use an eighth of it. Requests beyond that get 503.',
    '134217728',
    whole(1 << 20, 1 << 30),
  ),
  UNSENT_ANSWERS_BYTES: setting(
    'Memory for responses over 64 KiB that clients are still reading, for each environment (bytes). One user may use an eighth of it; requests beyond that get 503. A client has one minute to read a response.',
    '268435456',
    whole(1 << 20, 1 << 30),
  ),
  FILE_BYTES: setting('Largest file that can be uploaded (bytes).', '209715200', whole(1024, 1 << 30)),
  PACKAGE_BYTES: setting(
    'Largest content package that can be uploaded (bytes). Unpacked, a package can have 2 GB.',
    '1073741824',
    whole(1024, 2 ** 32),
  ),
  ORGANISATION_FILES_BYTES: setting(
    'Storage for the uploaded files of one organisation (bytes). Administrators can set another limit for an organisation.',
    '5368709120',
    whole(1024, Number.MAX_SAFE_INTEGER),
  ),
  S3_URL: optional(
    'URL of a bucket in an S3-compatible store, in which uploaded files and attachments of xAPI statements are stored: `https://s3.example.org/bucket` or `https://bucket.s3.example.org`. All processes of one installation need the same store. Keep the setting once files are in the store.',
    'none: files are stored in DATA_DIR/files, attachments in the database',
    httpAddress,
  ),
  S3_REGION: setting('Region of the bucket, as in its signatures.', 'us-east-1', anyText),
  S3_ACCESS_KEY: optional('Access key for S3_URL.', 'none', anyText),
  S3_SECRET_KEY: optional('Secret key for S3_URL.', 'none', anyText),
  RATE_TOKEN_PER_SECOND: setting(
    'Requests per second with one access token, from one plugin, or with one key of the record store.',
    '300',
    whole(1, 1_000_000),
  ),
  RATE_TOKEN_BURST: setting(
    'Requests that one of these may send at once, after a pause.',
    '3000',
    whole(1, 10_000_000),
  ),
  RATE_CLIENT_PER_SECOND: setting('Token requests per second from one app.', '100', whole(1, 1_000_000)),
  RATE_CLIENT_BURST: setting(
    'Token requests that one app may send at once, after a pause.',
    '3000',
    whole(1, 10_000_000),
  ),
  RATE_ADDRESS_PER_SECOND: setting(
    'Unauthenticated requests per second from one IP address.',
    '200',
    whole(1, 1_000_000),
  ),
  RATE_ADDRESS_BURST: setting(
    'Unauthenticated requests that one IP address may send at once, after a pause.',
    '1000',
    whole(1, 10_000_000),
  ),
  RATE_ANONYMOUS_PER_SECOND: setting('New anonymous users per second from one IP address.', '5', whole(1, 1_000_000)),
  RATE_ANONYMOUS_BURST: setting(
    'New anonymous users at once from one IP address, which may be a whole classroom.',
    '200',
    whole(1, 10_000_000),
  ),
  RATE_SEARCH_PER_SECOND: setting(
    'User searches and random samples per second by one user, so that nobody can list all users. Every ten requested users count as one search. Anonymous users of one app and network share one limit; their searches count four times, and each user in their samples counts as a search.',
    '2',
    whole(1, 1_000_000),
  ),
  RATE_SEARCH_BURST: setting('Searches that one user may make at once, after a pause.', '200', whole(1, 10_000_000)),
  RATE_JOIN_PER_HOUR: setting(
    'Wrong join codes that one user may try per hour. One network, which may be a school, may try twenty times as many. Ids of courses, lessons and classes that turn out to be taken are limited too, to ten times as many.',
    '30',
    whole(1, 1_000_000),
  ),
  RATE_ANNOUNCEMENT_PER_HOUR: setting(
    'Announcements to classes and organisations that one user may create per hour.',
    '20',
    whole(1, 1_000_000),
  ),
  RATE_INVITE_PER_HOUR: setting(
    'Invitations to organisations and classes that one user may send per hour. Handles that do not exist count too, so that they cannot be guessed by inviting.',
    '200',
    whole(1, 1_000_000),
  ),
  RATE_INVITE_ORGANISATION_PER_HOUR: setting(
    'Invitations to one organisation and its classes per hour, by all users together.',
    '1000',
    whole(1, 1_000_000),
  ),
  INVITATION_DAYS: setting(
    'Days after which an unanswered invitation to an organisation or a class expires.',
    '14',
    whole(1, 365),
  ),
  RATE_PLANNER_PER_MINUTE: setting(
    'Calls to engines per minute by one user in the mission planner. A search calls every engine that it asks.',
    '30',
    whole(1, 1_000_000),
  ),
  RATE_IMAGE_PER_SECOND: setting(
    'Megapixels of images per second that one user may upload. To cover the cost of resizing, 3 are added for each picture and 17 for each cover.',
    '3',
    whole(1, 1_000_000),
  ),
  RATE_IMAGE_BURST: setting(
    'Megapixels that one user may upload at once, after a pause. The default allows a dozen covers of 12 megapixels.',
    '400',
    whole(60, 10_000_000),
  ),
  TRUST_PROXY: setting(
    'IP addresses or networks of your proxies, separated by commas: `loopback`, `linklocal`, `uniquelocal`, `10.0.0.0/8`. Only their X-Forwarded-For header is trusted.',
    '',
    networks,
    'none',
  ),
  TOKEN_CACHE_SIZE: setting(
    'Access tokens that are cached in memory, for each environment.',
    '20000',
    whole(0, 10_000_000),
  ),
  ACCESS_TOKEN_HOURS: setting('Lifetime of an access token (hours).', '24', whole(1, 24 * 30)),
  SESSION_DAYS: setting('Time after which a session that is not refreshed ends (days).', '90', whole(1, 3650)),
  AUDIT_DAYS: setting('How long the log of security events is kept (days).', '400', whole(30, 36_500)),
  REQUEST_LOG_DAYS: setting(
    'How long developers can see the requests of their app (days); 0 keeps none. All refused requests are kept, but only a sample of the successful ones if there are many in a second.',
    '7',
    whole(0, 90),
  ),
  STORAGE_USER_PERCENT: setting(
    'Share of the storage of an app that the buckets of one user may take (percent).',
    '10',
    whole(1, 100),
  ),
  STORAGE_ANONYMOUS_PERCENT: setting(
    'Share of the storage of an app that the buckets of all its anonymous users together may take (percent).',
    '10',
    whole(1, 100),
  ),
  RECORDS_PERSON_BYTES: setting(
    'Storage for the records of one user: statements with their attachments, notes, attempts with their answers, and documents of the record store (bytes). Each record counts in whole KiB.',
    '1073741824',
    whole(1024, Number.MAX_SAFE_INTEGER),
  ),
  RECORDS_APP_BYTES: setting(
    'Storage for the records that all users together store through one app, and for those of one key of the record store (bytes). The total of an app is updated every minute.',
    '53687091200',
    whole(1024, Number.MAX_SAFE_INTEGER),
  ),
  DISK_PATH: optional(
    'Folder on the disk of the database, whose free space is monitored. Set it if DATABASE_URL is a database on this machine; the disk of another machine cannot be monitored.',
    'DATA_DIR; none if DATABASE_URL is set',
    anyText,
  ),
  DISK_RESERVE_BYTES: setting(
    'Free disk space that is kept for reads and small writes (bytes). If less is free, request bodies over 8 KiB get 503; 0 turns this off.',
    '1073741824',
    whole(0, Number.MAX_SAFE_INTEGER),
  ),
  SANDBOX_DISK_RESERVE_BYTES: setting(
    'The same for the sandbox (bytes). It is larger, so that the sandbox is refused before production.',
    '2147483648',
    whole(0, Number.MAX_SAFE_INTEGER),
  ),
  STREAM_LIMIT: setting(
    'Largest number of open streams in one process, for each environment. It applies to each of the three kinds separately: buckets, classes and the record store.',
    '10000',
    whole(1, 1_000_000),
  ),
  STREAM_NETWORK_PERCENT: setting(
    'Share of the bucket streams (STREAM_LIMIT) that the anonymous users of one network together may have open (percent). A network is an IPv4 address or an IPv6 /64 network.',
    '5',
    whole(1, 100),
  ),
  STREAM_ANONYMOUS_PERCENT: setting(
    'Share of the bucket streams (STREAM_LIMIT) that all anonymous users together may have open (percent).',
    '50',
    whole(1, 100),
  ),
  CONNECTIONS_PER_NETWORK: setting(
    'Open connections from one network, which may be a school, for each environment and process. A further connection gets 429 and is closed. The proxies of TRUST_PROXY are not limited, because they carry many clients.',
    '2000',
    whole(1, 1_000_000),
  ),
  PLUGIN_ADDRESSES: optional(
    'Where plugins may run: `public` (https on the public internet), or `loopback` (also http on this machine, for development). `loopback` is refused if others can reach the platform; DEMO says when that is.',
    '`public`; `loopback` if only this machine can reach the platform',
    choice('public', 'loopback'),
  ),
  DNS_SERVERS: setting(
    'Name servers that look up the hosts of plugins and sign-in providers, and the records that prove e-mail domains: IP addresses, each with a port if it is not 53, separated by commas, such as `192.0.2.1, [2001:db8::1]:5353`.',
    '',
    nameServers,
    'those of this machine',
  ),
  XAPI_HOME_PAGE: optional(
    'Home page (`homePage`) of the accounts that are the actors of xAPI statements.',
    'BASE_URL or SANDBOX_URL',
    httpAddress,
  ),
  XAPI_OBJECTS_BASE: optional(
    'Prefix of activity types and activity ids in xAPI statements. The type of a lesson is this IRI followed by `/lesson`.',
    'BASE_URL/xapi/objects',
    httpAddress,
  ),
  XAPI_API_ID_BASE: optional(
    'Prefix of the extensions in xAPI statements that hold ids of the platform. A lessonId is in the extension with this IRI followed by `/lesson`.',
    'BASE_URL/xapi/api-id',
    httpAddress,
  ),
  PACKAGE_SESSION_MINUTES: setting(
    'How long content of a package may be silent before its session ends as abandoned (minutes).',
    '720',
    whole(1, 43_200),
  ),
  XAPI_RETENTION_DAYS: optional(
    'How long xAPI statements are kept (days). Older ones are deleted permanently.',
    'none: all are kept',
    whole(1, 36_500),
  ),
  DRAIN_SECONDS: setting(
    'How long the platform still serves requests after it was told to stop, while `/readyz` reports that it is not ready (seconds). A load balancer needs this time to send requests elsewhere. With a value above 0, a process that stood still for 3 seconds, because it or its machine was frozen, also refuses requests for a second when it wakes up: their clients have repeated them elsewhere.',
    '0',
    whole(0, 600),
  ),
  STOP_SECONDS: setting(
    'Time that the platform waits for current requests when it is stopped (seconds).',
    '7',
    whole(1, 600),
  ),
  METRICS_TOKEN: optional(
    'Bearer token that `/metrics` requires.',
    'none: metrics can be read only from this machine, and only if others cannot reach the platform',
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
  /** True if the settings let only this machine reach the platform. */
  readonly isLocal: boolean
}

/**
 * Tells whether a host, as written in an address or a setting, is this machine. Names below `localhost` are loopback
 * too (RFC 6761 §6.3), and so is 127.0.0.0/8 in IPv6 notation.
 */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:(?:[^/@:]+\.)?localhost\.?|127\.\d+\.\d+\.\d+|::1|::(?:ffff:)?(?:7f[\da-f]{2}:[\da-f]{1,4}|127\.\d+\.\d+\.\d+))$/i.test(
    host.replace(/^\[(.*)\]$/, '$1'),
  )

/**
 * Reads all settings. Throws an error that lists every mistake, not only the first. `CONFIG_FILE` names a file of
 * NAME=value lines; environment variables take precedence over it.
 */
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
    if (!given.DATABASE_URL?.trim()) mistakes.push('DATABASE_PASSWORD can only be set together with DATABASE_URL')
    for (const name of ['DATABASE_URL', 'DATABASE_READ_URL'] as const)
      if (settings[name] && URL.parse(settings[name])?.password)
        mistakes.push(`DATABASE_PASSWORD must not be set if ${name} has a password: remove one of them`)
  }
  if (settings.DATABASE_READ_URL && !given.DATABASE_URL?.trim())
    mistakes.push('DATABASE_READ_URL can only be set together with DATABASE_URL')
  const base = settings.BASE_URL ?? `http://localhost:${settings.PORT}`
  const sandbox = settings.SANDBOX_URL ?? `http://localhost:${settings.SANDBOX_PORT}`
  const content = settings.CONTENT_URL ?? contentUrlFor(base)
  const sandboxContent = settings.SANDBOX_CONTENT_URL ?? contentUrlFor(sandbox)
  const reach = { ...settings, BASE_URL: base, SANDBOX_URL: sandbox, NOTES_URL: settings.NOTES_URL ?? base }
  const opening = findOpening(reach)
  if (settings.DEMO === 'on' && opening)
    mistakes.push(`DEMO cannot be on while ${opening}: the demo passwords are public; set it to off`)
  if (settings.PLUGIN_ADDRESSES === 'loopback' && opening)
    mistakes.push(
      `PLUGIN_ADDRESSES cannot be loopback while ${opening}: plugins could reach this machine; set it to public`,
    )
  const publicAddress = findPublicAddress(reach)
  const way = chooseMessageWay(settings, publicAddress === undefined)
  if ((way === 'log' || way === 'file') && publicAddress)
    mistakes.push(
      `MESSAGES cannot be ${way} while ${publicAddress}: messages contain one-time links; set SMTP_URL and MESSAGES_FROM, or MESSAGES to off`,
    )
  if (way === 'smtp') {
    if (!given.SMTP_URL?.trim()) mistakes.push('SMTP_URL must be set if MESSAGES is smtp')
    if (!given.MESSAGES_FROM?.trim()) mistakes.push('MESSAGES_FROM must be set if e-mail is sent by SMTP')
  }
  for (const [name, url] of Object.entries({ BASE_URL: base, SANDBOX_URL: sandbox }))
    if ((URL.parse(url)?.pathname ?? '/') !== '/')
      mistakes.push(`${name} must have no path: pages are served from the root of a host`)
  for (const [name, url] of Object.entries({ CONTENT_URL: content, SANDBOX_CONTENT_URL: sandboxContent })) {
    const isContentHost = buildContentHosts(url)
    const shared = ['BASE_URL', 'SANDBOX_URL', 'NOTES_URL'] as const
    const other = shared.find((one) => isContentHost(hostOf(reach[one]) ?? ''))
    if (other)
      mistakes.push(`${name} must have another host name than ${other}, because browsers send cookies to all ports`)
    if (url && (URL.parse(url)?.pathname ?? '/') !== '/') mistakes.push(`${name} must have no path`)
  }
  if (settings.CONTENT_URL !== undefined && content === sandboxContent)
    mistakes.push('SANDBOX_CONTENT_URL must differ from CONTENT_URL, so that browsers reach the files of both')
  const storeKeys = [settings.S3_ACCESS_KEY, settings.S3_SECRET_KEY]
  if (settings.S3_URL !== undefined && storeKeys.includes(undefined))
    mistakes.push('S3_ACCESS_KEY and S3_SECRET_KEY must be set if S3_URL is set')
  if (settings.BASE_URL !== undefined && base === sandbox)
    mistakes.push('SANDBOX_URL must differ from BASE_URL, so that clients reach both environments')
  const isShared = settings.PORT > 0 && settings.PORT === settings.SANDBOX_PORT
  if (isShared && URL.parse(base)?.hostname === URL.parse(sandbox)?.hostname)
    mistakes.push('SANDBOX_PORT must differ from PORT, or BASE_URL and SANDBOX_URL must have different host names')
  if (mistakes.length > 0)
    throw new StartupError(
      `Some settings are not valid (docs/configuration.md lists all settings):\n${mistakes.map((m) => `  - ${m}`).join('\n')}`,
    )
  return {
    ...settings,
    DATABASE_URL: settings.DATABASE_URL && addPassword(settings.DATABASE_URL, DATABASE_PASSWORD),
    DATABASE_READ_URL: settings.DATABASE_READ_URL && addPassword(settings.DATABASE_READ_URL, DATABASE_PASSWORD),
    DATA_DIR: resolve(settings.DATA_DIR),
    MESSAGES: way,
    BASE_URL: base,
    SANDBOX_URL: sandbox,
    NOTES_URL: reach.NOTES_URL,
    CONTENT_URL: content,
    SANDBOX_CONTENT_URL: sandboxContent,
    PLUGIN_ADDRESSES: settings.PLUGIN_ADDRESSES ?? (opening === undefined ? 'loopback' : 'public'),
    isLocal: opening === undefined,
  }
}

function addPassword(address: string, password: string | undefined): string {
  if (!password) return address
  const url = new URL(address)
  // The password is added as a parameter, because a URL without a host (for a Unix socket) cannot contain a password.
  url.searchParams.set('password', password)
  return url.href
}

type ReachSettings = Pick<Config, 'HOST' | 'BASE_URL' | 'SANDBOX_URL' | 'NOTES_URL' | 'TRUST_PROXY'>

/** Finds a setting that lets other machines reach the platform. Returns a sentence that names it, or undefined. */
export const findOpening = (config: ReachSettings): string | undefined =>
  findPublicAddress(config) ?? (config.TRUST_PROXY?.length > 0 ? 'TRUST_PROXY is set' : undefined)

function findPublicAddress(config: ReachSettings): string | undefined {
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

/** Returns the default URL of uploaded files. Browsers resolve all names below `localhost` without DNS. */
function contentUrlFor(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || !isLoopbackHost(url.hostname)) return undefined
  const name = url.hostname.endsWith('localhost') ? url.hostname : 'localhost'
  return `${url.protocol}//*.content.${name}${url.port && `:${url.port}`}`
}

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
      if (!Object.hasOwn(SETTINGS, name)) mistakes.push(`${name} in ${file} is not a known setting`)
    }
    return values
  } catch (problem) {
    mistakes.push(`CONFIG_FILE must be a file that can be read (${(problem as NodeJS.ErrnoException).code})`)
    return {}
  }
}

export const listSettings = (): { name: string; about: string; shownDefault: string }[] =>
  Object.entries<Setting<unknown>>(SETTINGS).map(([name, { about, fallback, shownDefault }]) => ({
    name,
    about,
    shownDefault: shownDefault ?? fallback ?? '',
  }))
