import type { EnvironmentName } from '../../kernel/config.ts'

/** What was found out about an installation. The rules turn it into findings. */
export interface Facts {
  readonly settings: SettingFacts
  /** The server of DATABASE_URL, or the embedded one. */
  readonly primary: ServerFacts
  /** The different servers behind DATABASE_READ_URL. */
  readonly readers: readonly ServerFacts[]
  readonly patroni: readonly PatroniFacts[]
  readonly platforms: readonly PlatformFacts[]
}

/** What the rules need to know about the platform's settings. It has no secrets. */
export interface SettingFacts {
  readonly version: string
  /** Number of processes that share the database. */
  readonly processes: number
  /** Connections that one process opens at most, for both environments. */
  readonly connections: { readonly primary: number; readonly standby: number }
  readonly isLocal: boolean
  readonly isEmbedded: boolean
  readonly hasReadUrl: boolean
  readonly hasObjectStore: boolean
  readonly hasContentUrl: boolean
  /** Whether each content package has its own host name. */
  readonly hasPackageOrigins: boolean
  readonly hasMetricsToken: boolean
  readonly hasProxy: boolean
  readonly messages: string
  readonly waitSeconds: number
  readonly drainSeconds: number
  readonly lagSeconds: number
  /** Free space on the disk of the database; undefined if it is on another machine. */
  readonly freeBytes: number | undefined
  /** The larger of the two reserves. */
  readonly reserveBytes: number
}

/** A service that was asked something. `problem` says why it did not respond. */
interface ServiceFacts {
  /** Host and port, without credentials. */
  readonly place: string
  readonly problem?: string
  /** How far its clock is ahead of the clock of this machine (milliseconds); negative if it is behind. */
  readonly aheadMs?: number | undefined
}

/** A value is undefined if the user of the database may not read it. */
export interface ServerFacts extends ServiceFacts {
  readonly setting: 'DATABASE_URL' | 'DATABASE_READ_URL'
  readonly identity?: Identity | undefined
  readonly settings?: Readonly<Record<string, { readonly value: string; readonly needsRestart: boolean }>> | undefined
  readonly senders?: readonly Sender[] | undefined
  readonly slots?: readonly Slot[] | undefined
  readonly archiver?: { readonly isFailing: boolean; readonly lastFailed: string | null } | undefined
  readonly oldest?: { readonly seconds: number; readonly state: string; readonly application: string } | undefined
  readonly sizes?: { readonly databaseBytes: number; readonly oldestTransactions: number } | undefined
  readonly walBytes?: number | undefined
  readonly invalidIndexes?: readonly string[] | undefined
  readonly withoutNextMonth?: readonly string[] | undefined
  /** Undefined if the sessions behave as they should; otherwise what does not work. */
  readonly sessionProblem?: string | undefined
  readonly environments?: readonly EnvironmentFacts[] | undefined
}

export interface Identity {
  readonly version: number
  readonly isStandby: boolean
  readonly systemId: string
  /** Start time of the server. It tells servers behind one address apart. */
  readonly startedAt: string
  readonly encoding: string
  readonly user: string
  readonly mayCreate: boolean
  readonly mayMonitor: boolean
  /** Connections that the user and the database may have at most; -1 if unlimited. */
  readonly userLimit: number
  readonly databaseLimit: number
  readonly isEncrypted: boolean
  readonly isRemote: boolean
  /** Addresses at both ends of the connection, as this machine and the server see them. A proxy may be in between. */
  readonly addresses: readonly string[]
}

interface Sender {
  readonly name: string | null
  readonly state: string | null
  readonly syncState: string | null
  readonly lagBytes: number | null
  readonly lagSeconds: number | null
}

interface Slot {
  readonly name: string
  readonly isActive: boolean
  readonly status: string | null
  readonly keptBytes: number | null
}

export interface EnvironmentFacts {
  readonly name: EnvironmentName
  /** Migrations that this version has and the schema does not; undefined if the schema does not exist. */
  readonly waiting?: readonly string[] | undefined
  /** Says why the schema does not fit this version. */
  readonly mismatch?: string
  readonly hasDemoPeople: boolean
  /** Whether SECRET_KEY is the key of this database; undefined if one of them is missing. */
  readonly fitsKey: boolean | undefined
}

export interface PatroniFacts extends ServiceFacts {
  readonly members?: readonly PatroniMember[]
  readonly isPaused?: boolean
  readonly config?: PatroniConfig | undefined
  /** Seconds since this node last reached the store of the cluster (etcd). */
  readonly storeSeconds?: number | undefined
}

export interface PatroniMember {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
  readonly pending_restart?: boolean
  readonly lag?: number | 'unknown'
}

interface PatroniConfig {
  readonly ttl?: number
  readonly loop_wait?: number
  readonly retry_timeout?: number
  readonly synchronous_mode?: boolean | string
  readonly failsafe_mode?: boolean
}

export interface PlatformFacts extends ServiceFacts {
  readonly readiness?: { readonly status: number; readonly text: string }
  /** Undefined if the metrics could not be read; then `metricsStatus` says why. */
  readonly metrics?: { readonly version: string; readonly migration: string; readonly freeBytes: number | undefined }
  readonly metricsStatus?: number
}

export type Level = 'ok' | 'warning' | 'problem'

export interface Finding {
  readonly check: string
  /** The server, process or setting that the finding is about. */
  readonly subject: string
  readonly level: Level
  readonly found: string
  /** What to change; only for warnings and problems. */
  readonly change?: string
}

/** The place of a database that only the processes of this machine reach. */
export const EMBEDDED = 'the embedded database'

export const serversOf = ({ primary, readers }: Facts): readonly ServerFacts[] => [primary, ...readers]
export const settingOf = ({ settings }: ServerFacts, name: string): string | undefined => settings?.[name]?.value
export const subjectOf = ({ setting, place }: ServerFacts): string =>
  place === EMBEDDED ? place : `${setting} (${place})`

/** True if the installation has, or is meant to have, more than one database server. */
export const isFleet = ({ settings, primary, patroni }: Facts): boolean =>
  settings.hasReadUrl ||
  patroni.length > 0 ||
  Boolean(settingOf(primary, 'synchronous_standby_names')) ||
  (primary.senders?.length ?? 0) > 0

export const report = (check: string, subject: string, level: Level, found: string, change?: string): Finding => ({
  check,
  subject,
  level,
  found,
  ...(change !== undefined && { change }),
})

export const explainUnreachable = (problem: string): string => `cannot be reached: ${problem}`

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

export function showBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)))
  const amount = bytes / 1024 ** power
  return `${amount < 10 && power > 0 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[power]}`
}

/**
 * Returns how far another clock is ahead of ours (milliseconds; negative if it is behind), as far as that is certain.
 * Its time was in one interval while ours was in the other.
 */
export function compareClocks(
  theirs: { readonly earliest: number; readonly latest: number },
  ours: { readonly before: number; readonly after: number },
): number {
  const [least, most] = [theirs.earliest - ours.after, theirs.latest - ours.before]
  return least > 0 ? least : Math.min(most, 0)
}
