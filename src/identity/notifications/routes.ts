import { person } from '../../kernel/http/callers/callers.ts'
import { Nothing } from '../../kernel/http/input/fields.ts'
import { type Operation, operationsIn } from '../../kernel/http/operation.ts'
import { json } from '../../kernel/http/output/output.ts'
import { notificationFeed } from './live.ts'
import { listNotifications, markNotificationsRead } from './notifications.ts'
import {
  ListNotifications,
  MarkRead,
  NotificationEvents,
  NotificationPage,
  NotificationSettings,
  SetNotificationSettings,
  Unread,
} from './schema.ts'
import { readNotificationSettings, setNotificationSettings } from './settings.ts'

const op = operationsIn({ area: 'Notifications', who: person })

export const notificationOperations: readonly Operation[] = [
  op('GET /account/v1/notifications', {
    name: 'listNotifications',
    summary: 'List your notifications',
    description:
      "Returns the caller's notifications, newest first, and the number of unread ones. They are kept for 90 days. Kinds that the caller has turned off for the bell are left out.",
    example: { request: { limit: 5 } },
    input: ListNotifications,
    output: json(NotificationPage),
    errors: ['validationFailed'],
    run: ({ db, who }, input) => listNotifications(db, who, input),
  }),
  op('POST /account/v1/notifications/read', {
    name: 'markNotificationsRead',
    summary: 'Mark notifications as read',
    description:
      'Marks up to 100 notifications as read, or one and all older ones with `upTo`. Those that are already read or no longer exist change nothing, so the request can be repeated.',
    example: { request: { upTo: '1' } },
    input: MarkRead,
    output: json(Unread),
    errors: ['validationFailed'],
    run: ({ db, who }, input) => markNotificationsRead(db, who, input),
  }),
  op('GET /account/v1/notifications/events', {
    name: 'followNotifications',
    summary: 'Stream your notifications',
    description:
      "Streams the caller's new notifications and the number of unread ones, as server-sent events. Changes arrive within a second, and after a disconnect `Last-Event-ID` brings what was missed; a user can have 50 open streams per process.",
    input: Nothing,
    requestHeaders: { 'Last-Event-ID': 'The last event that the client has seen; later changes are sent first' },
    output: { kind: 'events', about: 'Events `ready` and `change`', events: NotificationEvents },
    run: ({ who, environment, request }) =>
      environment.get(notificationFeed).open(who, String(request.headers['last-event-id'])),
  }),
  op('GET /account/v1/notifications/settings', {
    name: 'readNotificationSettings',
    summary: 'Get your notification settings',
    description:
      'Returns for each kind of notification whether the bell shows it and how it is sent by e-mail. E-mail goes to the confirmed address of the account only.',
    input: Nothing,
    output: json(NotificationSettings),
    run: ({ db, who }) => readNotificationSettings(db, who.personId),
  }),
  op('PUT /account/v1/notifications/settings', {
    name: 'setNotificationSettings',
    summary: 'Update your notification settings',
    description:
      'Sets how the caller gets some kinds of notifications, and the time zone in which it is 7:00 when digests are sent. What is left out stays the same. It also applies to e-mail that is waiting to be sent.',
    example: {
      request: { kinds: [{ kind: 'graded', app: true, email: 'digest' }], timeZone: 'Europe/Berlin' },
    },
    input: SetNotificationSettings,
    output: json(NotificationSettings),
    errors: ['validationFailed'],
    run: ({ db, who }, input) => setNotificationSettings(db, who, input),
  }),
]
