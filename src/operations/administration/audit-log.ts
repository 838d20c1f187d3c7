import { Readable } from 'node:stream'
import { isAlwaysOwn } from '../../kernel/audit/audit.ts'
import { gatePerOwner } from '../../kernel/bounds/gate.ts'
import { callerKey, type PersonCaller } from '../../kernel/caller.ts'
import { BYTE_ORDER_MARK, csvLine } from '../../kernel/csv.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import type { AuditPage, ExportAudit, ListAudit, ShownEntry } from './audit-log-schema.ts'
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

const exporting = gatePerOwner({
  atOnce: 4,
  perKey: 1,
  waiting: 0,
  refusal: () => fail('notReady', 'An export of the audit log is running; try again shortly', 15),
})
/** Entries that an export reads into memory at a time. */
const EXPORTED_AT_ONCE = 500
const COLUMNS = ['Date', 'Action', 'Person', 'Name', 'By', 'App', 'Client ID', 'Address', 'Request', 'Details']

/** Exports the audit log as CSV, latest first, page by page. */
export async function exportAudit(db: Db, who: PersonCaller, what: ExportAudit) {
  const leave = await exporting(db).enter(callerKey(who))
  const stream = Readable.from(linesOf(db, what), { objectMode: false })
  stream.once('close', leave)
  return {
    fileName: `audit-log-${who.at.toISOString().slice(0, 10)}.csv`,
    mediaType: 'text/csv; charset=utf-8',
    stream,
  }
}

async function* linesOf(db: Db, what: ExportAudit): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + csvLine(COLUMNS)
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: AuditPage = await listAudit(db, { ...what, limit: EXPORTED_AT_ONCE, ...(cursor && { cursor }) })
    yield page.docs.map(lineOf).join('')
    cursor = page.next
  }
}

const lineOf = ({ date, action, person, by, clientId, address, requestId, detail, names }: ShownEntry): string =>
  csvLine([
    date,
    action,
    person?.replace(/^@/, '') ?? '',
    names.person ?? '',
    by?.replace(/^@/, '') ?? '',
    names.clientId ?? '',
    clientId ?? '',
    address ?? '',
    requestId ?? '',
    Object.entries(detail)
      .map(([name, value]) => `${name}: ${value}`)
      .join('; '),
  ])

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

/** Converts an entry for display. Actors are shown by handle; internal ids of people and empty details are left out. */
function showEntry(row: Row): ShownEntry {
  const all = JSON.parse(row.detail) as ShownEntry['detail']
  const { by: _by, parent: _parent, self, ...shown } = all
  const names = JSON.parse(row.names) as ShownEntry['names']
  const isOwn = row.doer === null && (self === true || isAlwaysOwn(row.action, all))
  return {
    date: row.at,
    action: row.action,
    person: row.person,
    by: isOwn ? row.person : row.doer,
    clientId: row.client_id,
    sessionId: row.session_id,
    address: row.address,
    requestId: row.request_id,
    detail: Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== null)),
    names: isOwn && names.person !== undefined ? { ...names, by: names.person } : names,
  }
}
