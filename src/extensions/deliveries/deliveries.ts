import { recordAudit } from '../../kernel/audit/audit.ts'
import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { tellAfterCommit } from '../../kernel/jobs/wake.ts'
import { type Page, pageOf, spanOf } from '../../kernel/paging.ts'
import { shownHeaders } from '../plugins/hosted.ts'
import { REPLACING } from './rules.ts'
import { DELIVERIES } from './runner.ts'
import type {
  Delivery,
  DeliveryLog,
  ListDeliveries,
  NameDelivery,
  ReplayDeliveries,
  ReplayedDeliveries,
} from './schema.ts'
import * as store from './store.ts'

const NOT_YOURS = 'There is no plugin with this client ID, or you do not work on it'
const REPLAY_LIMIT = 1000

/** Finds a plugin that the caller develops. Throws the same error for any other plugin as for an unknown one. */
async function readManaged(db: Db, who: PersonCaller, clientId: string) {
  const row = await db.first(store.findManaged, { person: who.personId, client: clientId })
  if (!row) throw fail('forbidden', NOT_YOURS)
  return row
}

export async function listDeliveries(db: Db, who: PersonCaller, what: ListDeliveries): Promise<Page<Delivery>> {
  const { id: plugin } = await readManaged(db, who, what.clientId)
  const rows = await db.all(store.listDeliveries[what.sort ?? '-created'], {
    plugin,
    state: what.state ?? null,
    ...spanOf(what),
  })
  return pageOf(rows.map(toDelivery), rows[0]?.total ?? 0, what)
}

export async function readDelivery(db: Db, who: PersonCaller, what: NameDelivery): Promise<DeliveryLog> {
  const { id: plugin } = await readManaged(db, who, what.clientId)
  const row = await findDelivery(db, plugin, what.deliveryId)
  const attempts = await db.all(store.listAttempts, { plugin, delivery: row.id })
  return {
    ...toDelivery(row),
    body: JSON.parse(row.body),
    log: attempts.map(({ at, took_ms, ...attempt }) => ({
      ...attempt,
      date: at.toISOString(),
      headers: shownHeaders({ id: row.webhook_id, at }),
      tookMs: took_ms,
    })),
  }
}

async function findDelivery(db: Db, plugin: number, webhook: string) {
  const row = await db.first(store.find, { plugin, webhook })
  if (!row) throw fail('notFound', 'The plugin has no delivery with this id; deliveries are kept for 30 days')
  return row
}

/**
 * Queues one delivery again, or the oldest 1,000 of a period (by default only failed ones). Each keeps its id and goes
 * to the end of the queue for its request.
 */
export async function replayDeliveries(db: Db, who: PersonCaller, what: ReplayDeliveries): Promise<ReplayedDeliveries> {
  const { id: plugin, app_id: appId } = await readManaged(db, who, what.clientId)
  const { deliveryId, from, to } = what
  if (deliveryId === undefined && (from === undefined || to === undefined))
    throw fail('parameterMissing', 'Send deliveryId, or from and to')
  if (deliveryId !== undefined) await findDelivery(db, plugin, deliveryId)
  const count = await db.transaction(async (tx) => {
    const rows = await tx.all(store.replay, {
      plugin,
      webhook: deliveryId ?? null,
      state: what.state ?? (deliveryId === undefined ? 'failed' : null),
      from: from === undefined ? null : new Date(from),
      to: to === undefined ? null : new Date(to),
      replacing: REPLACING,
      limit: REPLAY_LIMIT,
      now: who.at,
    })
    const { length } = rows.filter(({ is_requested }) => is_requested)
    if (length === 0) return 0
    const detail = { by: who.personId, count: length, ...(deliveryId !== undefined && { delivery: deliveryId }) }
    await recordAudit(tx, who, { action: 'deliveries.replayed', appId, detail })
    tellAfterCommit(tx, DELIVERIES)
    return length
  })
  if (deliveryId !== undefined && count === 0)
    throw fail('impossibleNow', 'This delivery is already pending, or was replaced by a newer list of distributions')
  return { count, more: count === REPLAY_LIMIT }
}

const toDelivery = (row: Omit<RowOf<(typeof store.listDeliveries)['created']>, 'total'>): Delivery => ({
  deliveryId: row.webhook_id,
  purpose: row.purpose,
  requestId: row.request,
  state: row.state,
  attempts: row.attempts,
  outcomes: row.outcomes as Delivery['outcomes'],
  problem: row.problem,
  createdDate: row.created_at,
  nextDate: row.next_at,
  settledDate: row.settled_at,
})

/**
 * Counts waiting and failed deliveries, each up to 10,000, and returns by how many seconds the most overdue one is
 * late.
 */
export const deliveryFigures = async (db: Db, now: Date) => (await db.first(store.readFigures, { now }))!
