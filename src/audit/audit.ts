import type { Caller } from '../caller.ts'
import type { Config } from '../config.ts'
import type { Age } from '../database/age.ts'
import type { Db } from '../database/database.ts'
import * as store from './store.ts'

export interface AuditEntry {
  /** What happened, as `noun.verb`. */
  readonly action: string
  readonly personId?: number
  readonly appId?: number
  readonly sessionId?: string
  /** Facts for the reader; never a secret. */
  readonly detail?: Readonly<Record<string, string | number | boolean | null>>
}

/** Writes one line of the audit log, in the transaction of what it tells about. */
export async function recordAudit(db: Db, who: Caller, entry: AuditEntry): Promise<void> {
  await db.first(store.insertEntry, {
    at: who.at,
    action: entry.action,
    person: entry.personId ?? null,
    app: entry.appId ?? null,
    session: entry.sessionId ?? null,
    address: who.address,
    request: who.requestId,
    detail: JSON.stringify(entry.detail ?? {}),
  })
}

export const auditAges = ({ AUDIT_DAYS: days }: Pick<Config, 'AUDIT_DAYS'>): readonly Age[] => [
  { days, remove: store.deleteOld },
]
