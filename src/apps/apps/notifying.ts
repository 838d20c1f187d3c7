import { notify } from '../../identity/notifications/notifications.ts'
import type { Environment } from '../../kernel/environment.ts'
import type { Consumer } from '../../kernel/events/consumers.ts'
import type { EventOf } from '../../kernel/events/events.ts'
import { messagePolicy } from '../../kernel/messages/messages.ts'
import type { appEvents } from './events.ts'
import * as store from './store.ts'

/** Notifies the people who manage an app that an administrator has approved or suspended it. */
export const appNotifier: Consumer<Environment, EventOf<typeof appEvents>> = {
  name: 'notifications of apps',
  kinds: ['app.decided'],
  start: 'end',
  most: 10,
  handle: async (tx, events, { get }) => {
    for (const { id, payload, at } of events) {
      const rows = await tx.all(store.listManagers, { app: payload.app, except: payload.by })
      const notifications = rows.map(({ person_id: personId, client_id, name }) => ({
        personId,
        kind: 'request' as const,
        key: `app:${id}`,
        title: `${name} was ${payload.status}`,
        text:
          payload.status === 'approved'
            ? `An administrator approved the app ${name}. People can sign in to it now.`
            : `An administrator suspended the app ${name}.${payload.reason === null ? '' : ` Reason: ${payload.reason}`}`,
        link: `/console/apps/${encodeURIComponent(client_id)}`,
        at,
      }))
      await notify(tx, notifications, get(messagePolicy))
    }
  },
}
