import { type Static, Type } from 'typebox'
import { Flag, Id, IdList, Text, Whole } from '../../kernel/http/input/fields.ts'
import { KIND_NAMES, type Mailing, type NotificationKind } from './kinds.ts'

const MAILINGS: readonly Mailing[] = ['now', 'digest', 'off']
const Kind = Type.Unsafe<NotificationKind>({ type: 'string', enum: KIND_NAMES })
const Email = Type.Unsafe<Mailing>({
  type: 'string',
  enum: MAILINGS,
  description: 'E-mail: at once (`now`), once a day together with others (`digest`), or none (`off`)',
})

export const ListNotifications = Type.Object({
  unread: Type.Optional(Flag('Only notifications that are not read yet')),
  limit: Type.Optional(Whole('Entries per page. Default: 20', 1, 100)),
  cursor: Type.Optional(Id('Cursor of the page: `next` of the page before', 15)),
})
export type ListNotifications = Static<typeof ListNotifications>

export const Notification = Type.Object(
  {
    notificationId: Type.String({ description: 'Increases with time, and is unique for the caller' }),
    kind: Kind,
    title: Type.String(),
    text: Type.String(),
    link: Type.String({ description: "Path of the page that it is about, on the platform's own pages" }),
    createdDate: Type.String({ format: 'date-time' }),
    readDate: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  },
  { title: 'Notification' },
)
export type Notification = Static<typeof Notification>

const unread = Type.Integer({ description: 'Number of unread notifications, counted up to 100' })

export const NotificationPage = Type.Object(
  {
    docs: Type.Array(Notification),
    next: Type.Union([Type.String(), Type.Null()], {
      description: 'The cursor of the next page; null on the last page',
    }),
    unread,
  },
  { title: 'NotificationPage' },
)
export type NotificationPage = Static<typeof NotificationPage>

export const MarkRead = Type.Object({
  notificationIds: Type.Optional(IdList('The notifications to mark as read', 100)),
  upTo: Type.Optional(Id('Marks this notification and all older ones as read', 15)),
})
export type MarkRead = Static<typeof MarkRead>

export const Unread = Type.Object({ unread }, { title: 'UnreadNotifications' })
export type Unread = Static<typeof Unread>

export const NotificationEvents = {
  ready: { about: 'The stream has started. After a reconnect, a `change` with what was missed follows', data: Unread },
  change: {
    about: 'Notifications were added, read on another device, or withdrawn',
    data: Type.Object({
      notifications: Type.Array(Notification, { description: 'New notifications, newest first, at most 20' }),
      unread,
    }),
  },
}

const choice = { kind: Kind, app: Type.Boolean({ description: 'Whether the bell shows them' }), email: Email }

export const NotificationSettings = Type.Object(
  {
    kinds: Type.Array(
      Type.Object({
        ...choice,
        about: Type.String(),
        isFixed: Type.Boolean({ description: 'True if the caller cannot change it' }),
      }),
    ),
    timeZone: Type.String({ description: 'Digests are sent at 7:00 in this IANA time zone' }),
    emailAddress: Type.Union([Type.String(), Type.Null()], {
      description: 'The confirmed address that e-mail is sent to; null if there is none',
    }),
  },
  { title: 'NotificationSettings' },
)
export type NotificationSettings = Static<typeof NotificationSettings>

export const SetNotificationSettings = Type.Object({
  kinds: Type.Optional(
    Type.Array(Type.Object(choice), { description: 'The kinds to change; others stay the same', maxItems: 20 }),
  ),
  timeZone: Type.Optional(Text('IANA time zone, such as `Europe/Berlin`', 64)),
})
export type SetNotificationSettings = Static<typeof SetNotificationSettings>
