import type { Room } from '../../kernel/room.ts'
import { notificationJobs } from './mail.ts'
import { exportNotifications, notificationRetention } from './notifications.ts'
import { unsubscribePages } from './pages.ts'
import { notificationOperations } from './routes.ts'
import { readNotificationSettings } from './settings.ts'
import * as store from './store.ts'

export const notifications: Room = {
  name: 'notifications',
  areas: { Notifications: 'What happened that concerns you, on the bell and by e-mail' },
  operations: notificationOperations,
  pages: unsubscribePages,
  jobs: notificationJobs,
  personalTables: {
    notifications: { inExport: '`notifications.json`', whenDeleted: 'deleted' },
    notification_settings: { inExport: '`notification-settings.json`', whenDeleted: 'deleted' },
    notification_inboxes: { inExport: '`notification-settings.json`: the time zone', whenDeleted: 'deleted' },
  },
  exports: [
    { file: 'notifications.json', about: 'Your notifications, kept for 90 days', read: exportNotifications },
    {
      file: 'notification-settings.json',
      about: 'Which notifications you get, and how',
      read: readNotificationSettings,
    },
  ],
  retention: () => notificationRetention,
  gauges: [
    {
      name: 'groundschool_notification_mails_unconfirmed',
      help: 'Notifications of the last 90 days whose e-mail may or may not have arrived, and is not sent again',
      value: async ({ db, clock }) => (await db.first(store.countUnconfirmed, { now: clock() }))!.mails,
    },
  ],
}
