import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import * as store from './management-store.ts'
import { readDifferences } from './rules.ts'
import type { ChangedApp, ListChangedApps, ReviewApp } from './schema.ts'

interface AuditEntry {
  readonly at: string
  readonly by: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/**
 * Lists approved apps with changes that no administrator has reviewed; the app that has waited longest comes first. The
 * changes are read from the audit log.
 */
export async function listChangedApps(db: Db, what: ListChangedApps): Promise<Page<ChangedApp>> {
  const rows = await db.all(store.listChanged, spanOf(what))
  const apps = rows.map((row) => ({
    clientId: row.client_id,
    name: row.name,
    organisationName: row.organisation_name,
    owner: row.owner,
    changedDate: row.changed_at!,
    changes: (JSON.parse(row.changes) as AuditEntry[]).flatMap(({ at, by, detail }) =>
      readDifferences(detail).map((difference) => ({ date: new Date(at).toISOString(), by, ...difference })),
    ),
  }))
  return pageOf(apps, rows[0]?.total ?? 0, what)
}

/** Marks an app as reviewed. Throws if the app has changed again since the administrator read it. */
export function markLookedAt(db: Db, who: PersonCaller, what: ReviewApp): Promise<void> {
  return db.transaction(async (tx) => {
    const app = await tx.first(store.holdApp, { client: what.clientId })
    if (!app) throw fail('noSuchApp')
    if (app.changed_at === null) return
    if (app.changed_at > new Date(what.changedDate))
      throw fail('conflict', 'The app was changed again in the meantime; review that change too')
    await tx.first(store.clearChanged, { app: app.id })
    await recordAudit(tx, who, { action: 'app.looked-at', appId: app.id })
  })
}
