import type { PersonCaller } from '../../kernel/caller.ts'
import type { Db, Tx } from '../../kernel/database/database.ts'
import type { Retention } from '../../kernel/database/retention.ts'
import type { RowOf } from '../../kernel/database/statement.ts'
import { fail } from '../../kernel/errors.ts'
import { enqueue, type JobName } from '../../kernel/jobs/jobs.ts'
import type { MessagePolicy } from '../../kernel/messages/messages.ts'
import { KINDS, type NotificationKind } from './kinds.ts'
import type { ListNotifications, MarkRead, Notification, NotificationPage, Unread } from './schema.ts'
import * as store from './store.ts'

export interface NewNotification {
  readonly personId: number
  readonly kind: NotificationKind
  /** Unique for the person, and derived from the cause, so that repeated work creates no second notification. */
  readonly key: string
  readonly title: string
  readonly text: string
  /** Path of a page, such as `/dashboard`. */
  readonly link: string
  /** The membership that it depends on. People who have left it get nothing. */
  readonly scope?: NotificationScope
  readonly at: Date
}

export type NotificationScope = `class:${number}` | `organisation:${number}`

export interface NotificationMailJob {
  readonly person: number
  /** Null for the person's digest. */
  readonly position: number | null
}
/** A kind of job of its own, so that many notifications do not delay other messages. */
export const NOTIFICATION_MAIL: JobName<NotificationMailJob> = { name: 'notification-mail' }
/** E-mails to many people at once, and digests. They wait for each other, and delay no other notification. */
export const CROWD_MAIL: JobName<NotificationMailJob> = { name: 'notification-mail-crowd' }
const CROWD = 100

export const DAY_MS = 24 * 60 * 60_000
const TITLE_LENGTH = 200
const TEXT_LENGTH = 2000

const shorten = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/**
 * Notifies people, as each has chosen. Those who cannot sign in or have left the scope get nothing. Call it in a job or
 * in a consumer of events, never while somebody waits for a response, and with at most 1000 notifications.
 */
export async function notify(
  tx: Tx,
  notifications: readonly NewNotification[],
  { isOn }: Pick<MessagePolicy, 'isOn'>,
): Promise<void> {
  if (notifications.length === 0) return
  const { at } = notifications[0]!
  const rows = notifications.map(({ personId, kind, key, title, text, link, scope = null, at }, n) => {
    const { email, isFixed = false } = KINDS[kind]
    const short = { title: shorten(title, TITLE_LENGTH), text: shorten(text, TEXT_LENGTH) }
    return { n, person_id: personId, kind, key, ...short, link, scope, at, email, fixed: isFixed }
  })
  const inserted = await tx.all(store.insert, { rows: JSON.stringify(rows), mails: isOn, now: at })
  const mails = inserted.filter(({ mail }) => mail === 'now')
  const jobs = mails.map(({ person_id: person, position }) => ({
    payload: { person, position },
    at,
    until: new Date(at.getTime() + DAY_MS),
  }))
  await enqueue(tx, jobs.length > CROWD ? CROWD_MAIL : NOTIFICATION_MAIL, ...jobs)
}

/** Deletes what people who leave a class or an organisation have not read or were not sent yet. */
export async function withdrawNotifications(
  tx: Tx,
  scope: NotificationScope,
  people: readonly number[],
): Promise<void> {
  if (people.length === 0) return
  await tx.all(store.lockInboxes, { people: [...people] })
  await tx.all(store.withdraw, { scope, people: [...people] })
}

/**
 * Deletes notifications of an announcement that people have not read or were not sent yet, at most `limit` at a time.
 * Returns how many they were.
 */
export async function withdrawAnnounced(tx: Tx, key: string, limit: number): Promise<number> {
  const people = (await tx.all(store.listAnnounced, { key, limit })).map(({ person_id }) => person_id)
  if (people.length === 0) return 0
  await tx.all(store.lockInboxes, { people })
  await tx.all(store.withdrawKey, { key, people })
  return people.length
}

const DEFAULT_LIMIT = 20

export async function listNotifications(db: Db, who: PersonCaller, what: ListNotifications): Promise<NotificationPage> {
  const { limit = DEFAULT_LIMIT, cursor } = what
  const statement = what.unread ? store.listUnread : store.listShown
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : readPosition(cursor, 'cursor')
  // Read one row more than requested, to know whether there is a next page.
  const [rows, { unread }] = await Promise.all([
    db.all(statement, { person: who.personId, before, limit: limit + 1 }),
    countUnread(db, who.personId),
  ])
  return {
    docs: rows.slice(0, limit).map(toNotification),
    next: rows.length > limit ? String(rows[limit - 1]!.position) : null,
    unread,
  }
}

/** Marks notifications as read. Those that are read or gone stay as they are, so it can be repeated. */
export async function markNotificationsRead(db: Db, who: PersonCaller, what: MarkRead): Promise<Unread> {
  const { notificationIds = [], upTo } = what
  const positions = notificationIds.map((id) => readPosition(id, 'notificationIds'))
  const last = upTo === undefined ? 0 : readPosition(upTo, 'upTo')
  await db.transaction(async (tx) => {
    await tx.all(store.lockInboxes, { people: [who.personId] })
    await tx.first(store.markRead, { person: who.personId, positions, upTo: last, now: who.at })
  })
  return countUnread(db, who.personId)
}

export const countUnread = async (db: Db, personId: number): Promise<Unread> =>
  (await db.first(store.countUnread, { person: personId }))!

function readPosition(id: string, field: string): number {
  if (!/^\d{1,15}$/.test(id)) throw fail('validationFailed', `${field} must come from a list of notifications`)
  return Number(id)
}

export const toNotification = (row: RowOf<typeof store.listShown>): Notification => ({
  notificationId: String(row.position),
  kind: row.kind as NotificationKind,
  title: row.title,
  text: row.text,
  link: row.link,
  createdDate: row.created_at,
  readDate: row.read_at,
})

export async function* exportNotifications(db: Db, personId: number): AsyncGenerator<unknown> {
  for await (const row of db.stream(store.exportAll, { person: personId }))
    yield { ...toNotification(row), mailedDate: row.mailed_at }
}

export const notificationRetention: readonly Retention[] = [{ days: 90, remove: store.deleteOld }]
