import type { AppUser } from '../../kernel/caller.ts'
import type { Db } from '../../kernel/database/database.ts'
import { fail } from '../../kernel/errors.ts'
import { readLine } from '../../kernel/lines.ts'
import { atoStatusEvents } from './events.ts'
import { checkMove, MAX_ALERTS, readStatus, type Status } from './rules.ts'
import type { Alert, ReportAlert, ReportStatus } from './schema.ts'
import * as store from './store.ts'

/**
 * Finds a request that the calling plugin serves. Throws 404 for a request of another plugin, and for a user who does
 * not work on the request.
 */
async function readServed(db: Db, who: AppUser, requestId: string) {
  const row = await db.first(store.findServed, { app: who.appId, person: who.personId, request: requestId })
  if (!row)
    throw fail(
      'permissionMissing',
      'Only an active plugin with the permission ato can report on requests: sign in to such a plugin',
    )
  const { id, status, is_cancelled: isCancelled, may_work: mayWork } = row
  if (id === null || !mayWork)
    throw fail(
      'notFound',
      "There is no request with this id for this plugin, or you do not work on it; only owners and developers of the app's organisation and members of the plugin's organisation do",
    )
  return { id, status: status as Status, isCancelled }
}

/**
 * Changes the status of a request. The update applies only if the status is still the one that the report was checked
 * against; otherwise the report is checked again.
 */
export async function reportStatus(db: Db, who: AppUser, what: ReportStatus): Promise<void> {
  const to = readStatus(what)
  const { cancellable = null } = what
  const detail = JSON.stringify({ status: to })
  for (;;) {
    const request = await readServed(db, who, what.requestId)
    const isMove = checkMove(request, to)
    const { id } = request
    const move = { request: id, from: request.status, to, cancellable, person: who.personId, now: who.at, detail }
    const done = isMove
      ? await db.transaction(async (tx) => {
          const moved = await tx.first(store.moveRequest, move)
          const payload = { request: id, status: to, by: who.personId }
          if (moved)
            await atoStatusEvents.emit(tx, { kind: 'request.moved', subject: `request:${id}`, payload, at: who.at })
          return moved
        })
      : await db.first(store.setCancellable, { request: id, status: to, cancellable })
    if (done) return
    // The request changed after it was read: check the report against its new status.
  }
}

export function reportAlert(db: Db, who: AppUser, what: ReportAlert): Promise<void> {
  const title = readLine('title', what.title)
  if (title === '') throw fail('parameterMissing', 'title is missing')
  const { text = '', providerId = null, status = null, type = 'info' } = what
  const alert: Alert = { title, text, providerId, status, type }
  return db.transaction(async (tx) => {
    const { id } = await readServed(tx, who, what.requestId)
    const locked = await tx.first(store.lockRequest, { request: id })
    if (!locked || locked.cancelled_at) throw fail('impossibleNow', 'This request was cancelled')
    const { count } = (await tx.first(store.countAlerts, { request: id }))!
    if (count >= MAX_ALERTS) throw fail('impossibleNow', `A request can have at most ${MAX_ALERTS} alerts`)
    await tx.first(store.insertAlert, {
      request: id,
      person: who.personId,
      now: who.at,
      detail: JSON.stringify({ alert }),
    })
  })
}
