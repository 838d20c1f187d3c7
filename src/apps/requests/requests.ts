import type { PersonCaller } from '../../kernel/caller.ts'
import type { Config } from '../../kernel/config.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import { fail } from '../../kernel/errors.ts'
import { readManaged } from '../apps/management.ts'
import { readStatus } from './rules.ts'
import type { ListRequests, RequestPage } from './schema.ts'
import * as store from './store.ts'

const DEFAULT_LIMIT = 50

/** Lists the requests of an app that the caller may manage, newest first. */
export async function listRequests(
  db: Db,
  who: PersonCaller,
  what: ListRequests,
  { REQUEST_LOG_DAYS: days }: Pick<Config, 'REQUEST_LOG_DAYS'>,
): Promise<RequestPage> {
  const { clientId, limit = DEFAULT_LIMIT, code = null, operation = null } = what
  const filters = { ...readStatus(what.status), before: readCursor(what.cursor), code, operation }
  const { id: app } = await readManaged(db, who, clientId)
  // Read one row more than requested, to know whether there is a next page.
  const rows = await db.all(store.listRequests, { app, ...filters, limit: limit + 1 })
  return {
    docs: rows.slice(0, limit).map(({ id: _, at, request_id, ...row }) => ({
      date: at,
      ...row,
      requestId: request_id,
    })),
    next: rows.length > limit ? String(rows[limit - 1]!.id) : null,
    days,
  }
}

function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return Number.MAX_SAFE_INTEGER
  if (!/^\d{1,15}$/.test(cursor))
    throw fail('validationFailed', 'cursor must be the `next` of an earlier page, unchanged')
  return Number(cursor)
}

export const requestRetention = ({ REQUEST_LOG_DAYS: days }: Config): readonly Retention[] => [
  { days, remove: store.deleteOld },
]
