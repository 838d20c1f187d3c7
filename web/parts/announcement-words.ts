import { plural } from './words.ts'

export const announcementWords = {
  title: 'Announcements',
  create: 'Create announcement',
  toClass: (name: string) => `Announcement to ${name}`,
  recipients: (count: number) =>
    count === 0
      ? 'Nobody else is here yet, so nobody will be notified.'
      : `${plural(count, 'person', 'people')} will be notified.`,
  subject: 'Title',
  text: 'Text',
  textHelp: 'Plain text. People get it on the bell and, unless they turned it off, by e-mail.',
  missingTitle: 'Enter a title',
  missingText: 'Enter a text',
  send: 'Send announcement',
  sent: 'Announcement sent',
  sendFailed: 'Couldn’t send the announcement',
  emptyText: 'Announce something to everyone at once, such as a closed simulator.',
  someone: 'Someone who has left',
  delete: 'Delete',
  deleteOf: (title: string) => `Delete the announcement “${title}”`,
  deleteTitle: (title: string) => `Delete “${title}”?`,
  deleteText: 'It disappears for everyone. E-mail that was already sent can’t be taken back.',
  deleted: 'Announcement deleted',
  openClass: (name: string) => `Open ${name}`,
}
