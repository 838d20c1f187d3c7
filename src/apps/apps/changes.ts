import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import * as store from './management-store.ts'
import { readDifferences } from './rules.ts'
import type { ChangedApp, ListChangedApps, LookedAt } from './schema.ts'

interface Entry {
  readonly at: string
  readonly by: string | null
  readonly detail: Readonly<Record<string, unknown>>
}

/** Approved apps that developers have changed since an administrator last looked, those that wait for longest first; and how, as the audit log has it. */
export async function listChangedApps(db: Db, what: ListChangedApps): Promise<Page<ChangedApp>> {
  const rows = await db.all(store.listChanged, spanOf(what))
  const apps = rows.map((row) => ({
    clientId: row.client_id,
    name: row.name,
    organisationName: row.organisation_name,
    owner: row.owner,
    changedDate: row.changed_at!.toISOString(),
    changes: (JSON.parse(row.changes) as Entry[]).flatMap(({ at, by, detail }) =>
      readDifferences(detail).map((difference) => ({ date: new Date(at).toISOString(), by, ...difference })),
    ),
  }))
  return pageOf(apps, rows[0]?.total ?? 0, what)
}

/** Nothing is left to look at, unless the app was changed once more after what the administrator has seen. */
export function markLookedAt(db: Db, who: PersonCaller, what: LookedAt): Promise<void> {
  return db.transaction(async (tx) => {
    const app = await tx.first(store.holdApp, { client: what.clientId })
    if (!app) throw fail('noSuchApp')
    if (app.changed_at === null) return
    if (app.changed_at > new Date(what.changedDate))
      throw fail('conflict', 'The app was changed once more meanwhile; look at that too')
    await tx.first(store.clearChanged, { app: app.id })
    await recordAudit(tx, who, { action: 'app.looked-at', appId: app.id })
  })
}
