import { hkdfSync } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Logger } from 'pino'
import type { Config, EnvironmentName } from './config.ts'
import type { Database } from './database/database.ts'
import { StartupError } from './errors.ts'
import { keyFileOf } from './secret-keys.ts'

export type Clock = () => Date

/** A resource of one environment, such as a cache. It is opened on first use and closed with the environment. */
export interface Service<T> {
  open(environment: Environment): T
  close?(opened: T): unknown
}

export const service = <T>(open: (environment: Environment) => T, close?: (opened: T) => unknown): Service<T> => ({
  open,
  ...(close && { close }),
})

/** Declares a service whose value a higher layer must set with `environment.provide`. Using it before that throws. */
export const provided = <T>(name: string): Service<T> => ({
  open: () => {
    throw new Error(`Nobody has provided ${name}`)
  },
})

/** Production or sandbox. The two share no data. Modules add their own services. */
export interface Environment {
  readonly name: EnvironmentName
  readonly url: string
  /** CONTENT_URL, which may have a wildcard; undefined if there is none. `content-hosts.ts` makes origins of it. */
  readonly contentUrl: string | undefined
  readonly config: Config
  readonly db: Database
  readonly log: Logger
  readonly clock: Clock
  /** Aborted when the process stops. Then no new work starts, and streams end. */
  readonly stopping: AbortSignal
  /** True if the process will stop soon. It still serves requests, but load balancers should send them elsewhere. */
  readonly isLeaving: boolean
  /**
   * Derives a key for one purpose in this environment, so that a signature made for one purpose is invalid for any
   * other.
   */
  keyFor(purpose: string): Buffer
  /** Derives the keys that are accepted for a purpose: the current key first, then the previous key if there is one. */
  keysFor(purpose: string): readonly Buffer[]
  get<T>(service: Service<T>): T
  provide<T>(service: Service<T>, value: T): void
  /** Reports "not ready" from now on, and still serves requests. */
  leave(): void
  stop(): void
  close(): Promise<void>
}

export interface EnvironmentOptions {
  readonly name: EnvironmentName
  /** Public URL. The default is the URL in the settings. */
  readonly url?: string | undefined
  readonly config: Config
  readonly db: Database
  readonly log: Logger
  readonly clock: Clock
  /** Undefined if a command found no key. Then only features that need a key fail. */
  readonly secretKeys: readonly Buffer[] | undefined
}

export const schemaOf = (name: EnvironmentName): string => `gs_${name}`

export function openEnvironment({ secretKeys, ...parts }: EnvironmentOptions): Environment {
  const { name, config, db } = parts
  const stopping = new AbortController()
  // Every open stream adds a listener to this signal, so the warning about many listeners is turned off.
  setMaxListeners(0, stopping.signal)
  let isLeaving = false
  const opened = new Map<Service<unknown>, unknown>()
  const keysFor = (purpose: string): Buffer[] => {
    if (secretKeys === undefined)
      throw new StartupError(
        `This needs the secret key of the platform, and there is no file ${keyFileOf(config)}: set SECRET_KEY, or DATA_DIR to the folder that has it`,
      )
    return secretKeys.map((key) => Buffer.from(hkdfSync('sha256', key, '', `groundschool/${name}/${purpose}`, 32)))
  }
  const environment: Environment = {
    ...parts,
    url: parts.url ?? (name === 'production' ? config.BASE_URL : config.SANDBOX_URL),
    contentUrl: name === 'production' ? config.CONTENT_URL : config.SANDBOX_CONTENT_URL,
    stopping: stopping.signal,
    get isLeaving() {
      return isLeaving
    },
    keysFor,
    keyFor: (purpose) => keysFor(purpose)[0]!,
    get: <T>(service: Service<T>): T => {
      // Hot path: this runs several times per request, so it costs one look-up only.
      const known = opened.get(service as Service<unknown>)
      if (known !== undefined) return known as T
      const made = service.open(environment)
      opened.set(service as Service<unknown>, made)
      return made
    },
    provide: (service, value) => void opened.set(service as Service<unknown>, value),
    leave: () => {
      isLeaving = true
    },
    stop: () => {
      isLeaving = true
      stopping.abort()
    },
    close: async () => {
      environment.stop()
      for (const [one, value] of [...opened].reverse()) await one.close?.(value)
      await db.close()
    },
  }
  return environment
}
