/** The platform counts unread notifications up to this number. */
const COUNTED = 100

export const sayUnread = (unread: number): string => (unread < COUNTED ? String(unread) : `${COUNTED - 1}+`)

export const notificationWords = {
  list: 'Notifications',
  unread: 'Unread',
  readAll: 'Mark all as read',
  readFailed: 'Couldn’t mark them as read',
  empty: 'No notifications',
  emptyText: 'Grades, due dates and announcements appear here.',
}
