import { hkdfSync } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import { APPS_CHANGED, listOrigins } from './apps/apps.ts'
import { RateLimiter } from './bounds/rate-limiter.ts'
import { BucketWatch } from './buckets/watch.ts'
import type { Config, EnvironmentName } from './config.ts'
import type { Database } from './database/database.ts'
import type { Forget } from './forget.ts'
import { Budget } from './http/budget.ts'
import { type Cookie, cookieOf } from './http/cookies.ts'
import { securityHeaders } from './http/security.ts'
import type { ImportSection } from './imports/section.ts'
import type { MessagePolicy } from './messages/messages.ts'
import type { RelyingParty } from './passkeys/passkeys.ts'
import { Workshop } from './pictures/workshop.ts'
import { TokenCache } from './sessions/cache.ts'
import type { TokenPolicy } from './sessions/sessions.ts'

export type Clock = () => Date

/** Everything that one environment is made of. Production and sandbox each have one, and nothing in common. */
export interface Environment {
  readonly name: EnvironmentName
  readonly url: string
  readonly config: Config
  readonly db: Database
  readonly log: Logger
  readonly clock: Clock
  readonly tokens: TokenCache
  readonly tokenPolicy: TokenPolicy
  readonly secretHashKey: Buffer
  readonly limits: {
    readonly token: RateLimiter
    readonly client: RateLimiter
    readonly address: RateLimiter
    readonly anonymous: RateLimiter
    readonly search: RateLimiter
  }
  /** What every room does when a person goes. */
  readonly forget: readonly Forget[]
  /** What can be imported. */
  readonly importSections: readonly ImportSection[]
  /** How people are told things outside of a browser. */
  readonly messages: MessagePolicy
  /** Signs the keys of forms. */
  readonly formKey: Buffer
  readonly cookie: Cookie
  /** For whom passkeys are made, and where they may be used. */
  readonly relyingParty: RelyingParty
  /** What is in memory: bodies that are worked on, and answers that clients have not read yet. */
  readonly largeBodies: Budget
  readonly unsentAnswers: Budget
  /** What every answer of this environment carries. */
  readonly securityHeaders: readonly string[]
  /** Origins of web pages that may call this environment. */
  readonly origins: { has(origin: string): boolean }
  readonly bucketWatch: BucketWatch
  /** Where images that people send are worked on. */
  readonly workshop: Workshop
  /** Aborted when the process stops: no new work is taken, streams end. */
  readonly stopping: AbortSignal
  stop(): void
  close(): Promise<void>
}

export interface EnvironmentParts {
  readonly name: EnvironmentName
  readonly config: Config
  readonly db: Database
  readonly log: Logger
  readonly clock: Clock
  readonly secretKey: Buffer
  readonly forget: readonly Forget[]
  readonly importSections: readonly ImportSection[]
}

export const schemaOf = (name: EnvironmentName): string => `gs_${name}`

/** A key for one purpose in one environment, so that nothing signed for one holds in another. */
export const deriveKey = (secretKey: Buffer, name: EnvironmentName, purpose: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secretKey, '', `groundschool/${name}/${purpose}`, 32))

export async function openEnvironment({
  name,
  config,
  db,
  log,
  clock,
  secretKey,
  forget,
  importSections,
}: EnvironmentParts): Promise<Environment> {
  const stopping = new AbortController()
  // Every open stream listens.
  setMaxListeners(0, stopping.signal)
  const url = name === 'production' ? config.BASE_URL : config.SANDBOX_URL
  const bucketWatch = new BucketWatch(db, config.STREAM_LIMIT)
  const images = new RateLimiter('images', config.RATE_IMAGE_PER_SECOND, config.RATE_IMAGE_BURST)
  const workshop = new Workshop({
    name,
    log,
    take: (household, megapixels) => images.take(household, clock().getTime(), megapixels),
  })
  return {
    name,
    url,
    config,
    db,
    log,
    clock,
    forget,
    importSections,
    tokens: new TokenCache(db, config.TOKEN_CACHE_SIZE),
    tokenPolicy: {
      environment: name,
      refreshKey: deriveKey(secretKey, name, 'refresh'),
      accessKey: deriveKey(secretKey, name, 'access'),
      accessTokenHours: config.ACCESS_TOKEN_HOURS,
      sessionDays: config.SESSION_DAYS,
    },
    secretHashKey: deriveKey(secretKey, name, 'client-secret'),
    messages: {
      isOn: config.MESSAGES !== 'off',
      environment: name,
      url,
      sealKey: deriveKey(secretKey, name, 'message'),
    },
    formKey: deriveKey(secretKey, name, 'form'),
    cookie: cookieOf(name, url),
    relyingParty: {
      id: new URL(url).hostname,
      name: name === 'production' ? 'Groundschool' : 'Groundschool Sandbox',
      origin: new URL(url).origin,
      userKey: deriveKey(secretKey, name, 'passkey-user'),
      challengeKey: deriveKey(secretKey, name, 'passkey-challenge'),
      nameSuffix: name === 'production' ? '' : ' (sandbox)',
    },
    limits: {
      token: new RateLimiter('token', config.RATE_TOKEN_PER_SECOND, config.RATE_TOKEN_BURST),
      client: new RateLimiter('client', config.RATE_CLIENT_PER_SECOND, config.RATE_CLIENT_BURST),
      address: new RateLimiter('address', config.RATE_ADDRESS_PER_SECOND, config.RATE_ADDRESS_BURST),
      anonymous: new RateLimiter('anonymous', config.RATE_ANONYMOUS_PER_SECOND, config.RATE_ANONYMOUS_BURST),
      search: new RateLimiter('search', config.RATE_SEARCH_PER_SECOND, config.RATE_SEARCH_BURST),
    },
    largeBodies: new Budget(config.LARGE_BODIES_BYTES),
    unsentAnswers: new Budget(config.UNSENT_ANSWERS_BYTES),
    securityHeaders: securityHeaders(url),
    origins: await followOrigins(db, log),
    bucketWatch,
    workshop,
    stopping: stopping.signal,
    stop: () => {
      stopping.abort()
      workshop.stop()
    },
    close: async () => {
      bucketWatch.close()
      await workshop.stop()
      await db.close()
    },
  }
}

/** The registered origins, kept up to date by the messages that changes to apps send. */
async function followOrigins(db: Database, log: Logger): Promise<{ has(origin: string): boolean }> {
  let origins = await listOrigins(db)
  const refresh = () => {
    listOrigins(db).then(
      (fresh) => {
        origins = fresh
      },
      (error: Error) => log.warn({ problem: error.message }, 'the registered origins could not be read'),
    )
  }
  db.onMessage(APPS_CHANGED, refresh)
  db.onListening((isListening) => isListening && refresh())
  return { has: (origin) => origins.has(origin) }
}
