import { isAlwaysOwn } from '../../kernel/audit/audit.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import type { AuditPage, ListAudit, ShownEntry } from './audit-log-schema.ts'
import * as store from './audit-log-store.ts'

const DEFAULT_LIMIT = 50
const END = { before: 'infinity', id: Number.MAX_SAFE_INTEGER }

/** Lists a page of the audit log, latest first. */
export async function listAudit(db: Db, what: ListAudit): Promise<AuditPage> {
  const { limit = DEFAULT_LIMIT } = what
  // One row more than the limit is read, to find out whether there is a next page.
  const rows = await findEntries(db, what, limit + 1)
  const last = rows.length > limit ? rows[limit - 1] : undefined
  return { docs: rows.slice(0, limit).map(showEntry), next: last ? writeCursor(last) : null }
}

function findEntries(db: Db, what: ListAudit, limit: number) {
  const { action = null, clientId: app = null, from = '-infinity', to = 'infinity' } = what
  const page = { from, to, limit, ...(what.cursor === undefined ? END : readCursor(what.cursor)) }
  if (what.handle !== undefined) {
    const handle = what.handle.trim().toLowerCase().replace(/^@/, '')
    return db.all(store.listAbout, { handle, action, app, ...page })
  }
  if (app !== null) return db.all(store.listOfApp, { app, action, ...page })
  return action === null ? db.all(store.listAll, page) : db.all(store.listOfAction, { action, ...page })
}

type Row = RowOf<typeof store.listAll>

const writeCursor = ({ position, id }: Row): string => Buffer.from(`${position} ${id}`).toString('base64url')

function readCursor(cursor: string): typeof END {
  const [, before, id] =
    /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00) (\d{1,15})$/.exec(
      Buffer.from(cursor, 'base64url').toString(),
    ) ?? []
  if (before === undefined || Number.isNaN(Date.parse(before)))
    throw fail('validationFailed', 'cursor must be the `next` of an earlier page, unchanged')
  return { before, id: Number(id) }
}

/** Converts an entry for display. Actors are shown by handle; internal ids of people are left out. */
function showEntry(row: Row): ShownEntry {
  const all = JSON.parse(row.detail) as ShownEntry['detail']
  const { by: _by, parent: _parent, self, ...detail } = all
  return {
    date: row.at,
    action: row.action,
    person: row.person,
    by: row.doer ?? (self === true || isAlwaysOwn(row.action, all) ? row.person : null),
    clientId: row.client_id,
    sessionId: row.session_id,
    address: row.address,
    requestId: row.request_id,
    detail,
  }
}
