import manifest from '../../../package.json' with { type: 'json' }
import { deliveryFigures } from '../../extensions/deliveries/deliveries.ts'
import type { Disk } from '../../kernel/bounds/disk.ts'
import type { Environment } from '../../kernel/environment.ts'
import { eventFigures } from '../../kernel/events/events.ts'
import { jobFigures } from '../../kernel/jobs/jobs.ts'
import { countRecordBytes } from '../../kernel/shares/shares.ts'
import type { System } from './schema.ts'
import * as store from './store.ts'

/**
 * Reads the state of this process and of its database. Counts that are held in memory are those of this process only.
 */
export async function readSystem(
  { operations, disk }: { readonly operations: System['operations']; readonly disk: Disk },
  environment: Environment,
): Promise<System> {
  const { db, clock, name } = environment
  const now = clock()
  const [database, recordsBytes, events, jobs, deliveries] = await Promise.all([
    db.first(store.readDatabase, {}),
    countRecordBytes(db),
    eventFigures(db, now),
    jobFigures(db, now),
    deliveryFigures(db, now),
  ])
  const uptimeSeconds = Math.floor(process.uptime())
  return {
    environment: name,
    version: manifest.version,
    node: process.version,
    startedDate: new Date(Date.now() - uptimeSeconds * 1000).toISOString(),
    uptimeSeconds,
    memoryBytes: process.memoryUsage.rss(),
    database: {
      version: database!.version,
      sizeBytes: database!.size_bytes,
      connections: database!.connections,
      connectionLimit: database!.connection_limit,
      waiting: db.figures().poolWaiting,
      migrations: database!.migrations,
      lastMigration: database!.last_migration,
    },
    storage: { recordsBytes, freeBytes: disk.freeBytes ?? null, reserveBytes: disk.reserveBytes },
    events: {
      unpublishedSeconds: events.unpublishedSeconds,
      consumers: events.consumers.map(({ seconds, attempts: _, ...consumer }) => ({
        ...consumer,
        waitingSeconds: seconds,
      })),
    },
    jobs: jobs.map(({ other: _, ...job }) => job),
    deliveries: {
      waiting: deliveries.waiting,
      overdueSeconds: deliveries.overdue_seconds,
      failed: deliveries.failed,
    },
    operations,
  }
}
