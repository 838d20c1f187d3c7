import { notify } from '../../identity/notifications/notifications.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import type { atoStatusEvents } from './events.ts'
import * as store from './store.ts'

/** The statuses that the person who started a request is told of. */
const TOLD: Readonly<Record<string, string>> = {
  completed: 'is completed',
  'action-required': 'needs your action',
}

/** Notifies the person who started a request that the plugin has completed it, or needs something. */
export const requestNotifier: Consumer<Environment, EventOf<typeof atoStatusEvents>> = {
  name: 'notifications of requests',
  kinds: ['request.moved'],
  start: 'end',
  handle: async (tx, events, { get }) => {
    const told = events.filter(({ payload }) => TOLD[payload.status] !== undefined)
    const rows = await tx.all(store.listStarters, { requests: told.map(({ payload }) => payload.request) })
    const byId = new Map(rows.map((row) => [row.id, row]))
    const notifications = told.flatMap(({ id, payload: { request, status, by }, at }) => {
      const row = byId.get(request)
      if (!row?.person_id || row.person_id === by) return []
      return [
        {
          personId: row.person_id,
          kind: 'request' as const,
          key: `request:${id}`,
          title: `Request for ${row.package} ${TOLD[status]}`,
          text: `${row.plugin} reported the status ${status} of your request for ${row.package}.`,
          link: `/console/ato/${encodeURIComponent(row.key)}`,
          at,
        },
      ]
    })
    await notify(tx, notifications, get(messagePolicy))
  },
}
