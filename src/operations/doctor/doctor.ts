import { statfs } from 'node:fs/promises'
import manifest from '../../../package.json' with { type: 'json' }
import { type Config, ENVIRONMENTS } from '../../kernel/config.ts'
import { hasWildcard } from '../../kernel/content-hosts.ts'
import { type Connection, countConnections } from '../../kernel/database/database.ts'
import { DATABASE_RULES } from './database-rules.ts'
import type { Facts, Finding, SettingFacts } from './facts.ts'
import { FLEET_RULES } from './fleet-rules.ts'
import { readPrimary, readReaders } from './servers.ts'
import { readPatroni, readPlatform } from './services.ts'
import { settingRules } from './setting-rules.ts'

/** What to examine in addition to the database of the settings. */
interface Fleet {
  readonly patroni: readonly string[]
  readonly platforms: readonly string[]
  /** Number of processes that share the database. */
  readonly processes: number
}

/** Reads all facts at once. A service that does not respond within a few seconds is a fact, too. */
export async function examine(connection: Connection, config: Config, fleet: Fleet): Promise<Facts> {
  const readers = config.DATABASE_READ_URL
  const [settings, primary, standbys, patroni, platforms] = await Promise.all([
    readSettings(config, fleet.processes),
    readPrimary(connection, config),
    readers === undefined ? [] : readReaders({ connectionString: readers }),
    Promise.all(fleet.patroni.map(readPatroni)),
    Promise.all(fleet.platforms.map((address) => readPlatform(address, config.METRICS_TOKEN))),
  ])
  return { settings, primary, readers: standbys, patroni, platforms }
}

/** Returns what the rules find in the facts, in the order of the rules. */
export const judge = (facts: Facts): Finding[] =>
  [...DATABASE_RULES, settingRules, ...FLEET_RULES]
    .flatMap((rule) => rule(facts))
    .filter((finding) => finding !== undefined && finding !== false)

async function readSettings(config: Config, processes: number): Promise<SettingFacts> {
  const { primary, standby } = countConnections({
    poolSize: config.POOL_SIZE,
    readConnections: config.READ_CONNECTIONS,
  })
  const path = config.DISK_PATH ?? (config.DATABASE_URL ? undefined : config.DATA_DIR)
  const disk = path === undefined ? undefined : await statfs(path).catch(() => undefined)
  return {
    version: manifest.version,
    processes,
    connections: { primary: primary * ENVIRONMENTS.length, standby: standby * ENVIRONMENTS.length },
    isLocal: config.isLocal,
    isEmbedded: config.DATABASE_URL === undefined,
    hasReadUrl: config.DATABASE_READ_URL !== undefined,
    hasObjectStore: config.S3_URL !== undefined,
    hasContentUrl: config.CONTENT_URL !== undefined,
    hasPackageOrigins: config.CONTENT_URL !== undefined && hasWildcard(config.CONTENT_URL),
    hasMetricsToken: config.METRICS_TOKEN !== undefined,
    hasProxy: config.TRUST_PROXY.length > 0,
    messages: config.MESSAGES,
    waitSeconds: config.DATABASE_WAIT_SECONDS,
    drainSeconds: config.DRAIN_SECONDS,
    lagSeconds: config.DATABASE_READ_LAG_SECONDS,
    freeBytes: disk && disk.bavail * disk.bsize,
    reserveBytes: Math.max(config.DISK_RESERVE_BYTES, config.SANDBOX_DISK_RESERVE_BYTES),
  }
}
